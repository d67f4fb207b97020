export { announceRows } from './announce-rows.ts'
export { callHeaders } from './call-headers.ts'
export { type Config, configSchema, readConfig, required } from './config.ts'
export { contextHeader, expiry, type RequestContext, requestIdHeader, signContext, verifyContext } from './context.ts'
export {
  type AnyService,
  defineService,
  type Handler,
  type HandlersOf,
  type Input,
  type Job,
  on,
  onTypes,
  type Platform,
  type ServiceDefinition,
  type Subscription,
} from './define.ts'
export { doctorHandlers } from './doctor.ts'
export { type Checks, examination } from './examination.ts'
export { healthRoutes, type ReadinessParts, readiness } from './health.ts'
export { checkBodyHeaders, collectBody, hasBody } from './http/body.ts'
export { asRefusal, sendFailure } from './http/failure.ts'
export { bareList, content, Reply, reply, send } from './http/reply.ts'
export { requestLine } from './http/request-line.ts'
export { closeServer, drainServer, fastExpress, listen } from './http/server.ts'
export { eventFrame, eventStream } from './http/stream.ts'
export { recordIdOf } from './idempotency.ts'
export { eachDue } from './jobs/each-due.ts'
export { paced } from './jobs/paced.ts'
export { type Logger, makeLog } from './log.ts'
export { type Metrics, makeMetrics } from './metrics.ts'
export { nextPollAt } from './outcomes/next-poll.ts'
export type { Awaiting } from './outcomes/outcomes.ts'
export { unlessPassing } from './passing.ts'
export { addressesOf, makePeers, type Peers, servicePort } from './peers/peers.ts'
export { readBack } from './peers/read-back.ts'
export { maySendAgain, pauseBeforeTry } from './peers/send-again.ts'
export { type PerKeyQueue, perKeyQueue } from './per-key-queue.ts'
export type { PlatformClock } from './platform-clock.ts'
export { endWithSupervisor, run, runProcess, terminated } from './run.ts'
export { sharedRead } from './shared-read.ts'
export { type RunningService, type Runtime, startService } from './start.ts'
export { atTickEnd } from './tick-end.ts'
export { currentTrace, inSpan, inTrace, newTrace, spansAreRecorded, type Trace, traceparentOf } from './trace.ts'
export type { Wait } from './wait.ts'
export { writeOnce } from './write-once.ts'
