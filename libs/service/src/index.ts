export { announceRows } from './announce-rows.ts'
export type { PlatformClock } from './clock/platform-clock.ts'
export { withTimeLimit } from './clock/time-limit.ts'
export { baseUrlOf, type Config, configSchema, readConfig, required, withFileContents } from './config/config.ts'
export { processing } from './consume.ts'
export { addressKey } from './context/address-key.ts'
export {
  callHeaders,
  contextHeader,
  expiry,
  keysAccepted,
  type RequestContext,
  requestIdHeader,
  signContext,
  verifyContext,
} from './context/context.ts'
export type { Sealing } from './context/sealing.ts'
export {
  type AnyService,
  type AnyStateMachine,
  defineService,
  type Handler,
  type Handlers,
  type HandlersOf,
  type Input,
  type Job,
  on,
  onTypes,
  type PartsOf,
  type Platform,
  type Subscription,
} from './define.ts'
export { accountFaults } from './health/account-faults.ts'
export { type CheckedRecords, checkedRecords } from './health/checked-records.ts'
export { clearingHandlers, type ExplainClearing } from './health/clearing.ts'
export { doctorHandlers } from './health/doctor.ts'
export { type Checks, type Extent, examination } from './health/examination.ts'
export { healthRoutes, type ReadinessParts, readiness } from './health/health.ts'
export { nothingAwaited, type Prerequisites } from './health/prerequisites.ts'
export { sagaHandlers } from './health/sagas.ts'
export { recordIdOf } from './http/idempotency.ts'
export { checkBodyHeaders, collectBody, hasBody, parsed } from './http/input.ts'
export { openLater } from './http/open-later.ts'
export { parted } from './http/parted.ts'
export { unlessPassing, unlessRefused } from './http/passing.ts'
export { asRefusal, bareList, content, matchesEtag, Reply, reply, send, sendFailure } from './http/reply.ts'
export { closeServer, drainServer, fastExpress, listen } from './http/server.ts'
export { eventFrame, eventStream } from './http/stream.ts'
export { writeOnce } from './http/write-once.ts'
export { holdAtIntake, onArrival, returnFromIntake, useOrReturn } from './intake/payments.ts'
export { type QuoteRequest, quoteOrRefusal } from './intake/quote.ts'
export { dueBy } from './jobs/due.ts'
export { eachDue } from './jobs/each-due.ts'
export { endlessWalk } from './jobs/endless-walk.ts'
export { restAfter } from './jobs/paced.ts'
export { workThrough } from './jobs/work-through.ts'
export { mergeHandlers } from './merge-handlers.ts'
export type { Awaiting } from './outcomes/awaiting.ts'
export { nextPollAt, pollDeadline } from './outcomes/next-poll.ts'
export { followedBy, onlyPolled, onOutcomes } from './outcomes/on-outcomes.ts'
export { peerPolls } from './outcomes/peer-polls.ts'
export { allowsLoopback, checkOutgoing, type OutgoingOptions, OutgoingRefused, sendOutgoing } from './outgoing/outgoing.ts'
export { isPublicAddress } from './outgoing/public-address.ts'
export { greetedConnections, isGreeting } from './peers/greeted-connections.ts'
export { addressesOf, makePeers, type Peers, servicePort } from './peers/peers.ts'
export { readBack } from './peers/read-back.ts'
export { maySendAgain, pauseBeforeTry } from './peers/send-again.ts'
export { type MinedTransaction, transactionOf } from './peers/transaction-of.ts'
export { endWithSupervisor, run, runProcess, terminated } from './run.ts'
export { openCounts } from './sharing/open-counts.ts'
export type { PerKeyQueue } from './sharing/per-key-queue.ts'
export { sharedRead } from './sharing/shared-read.ts'
export { databaseName } from './start/open-platform.ts'
export type { RunningService, Runtime } from './start/runtime.ts'
export { startService } from './start/start-service.ts'
export { declaredMetrics } from './telemetry/declared-metrics.ts'
export { type Logger, makeLog } from './telemetry/log.ts'
export { type Metrics, makeMetrics, metricsType } from './telemetry/metrics.ts'
export { atTickEnd, requestLine } from './telemetry/request-log.ts'
export { startTelemetry } from './telemetry/telemetry.ts'
export { beginSpan, currentTrace, inSpan, inTrace, newTrace, openTrace, spanEnds, type Trace, traceparentOf } from './telemetry/trace.ts'
