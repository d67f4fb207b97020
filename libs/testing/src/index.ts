export { acquireBroker, type Broker, type OwnBroker, startOwnBroker } from './broker/broker.ts'
export { busConformance, outgoing, testRetry, unique } from './broker/bus-conformance.ts'
export { findChromium } from './chromium.ts'
export { codeOf } from './code-of.ts'
export { daySeconds, hourSeconds } from './durations.ts'
export { type FaultProxy, startFaultProxy } from './faults/fault-proxy.ts'
export { type Faults, type FaultyNode, startFaultyHttpNode, startFaultyNode } from './faults/faulty-node.ts'
export { lossyBus } from './faults/lossy-bus.ts'
export { loseReads } from './faults/lost-reads.ts'
export { stubPeer } from './faults/stub-peer.ts'
export { figureIn, reportFigure } from './figure.ts'
export { type Answer, type CallOptions, httpCall } from './http-call.ts'
export { acquireMongo, onEachMongo } from './mongo/acquire-mongo.ts'
export { countedReads } from './mongo/counted-reads.ts'
export type { TestMongo } from './mongo/mongo-servers.ts'
export { type OwnMongo, ownMongo } from './mongo/own-mongo.ts'
export { type ExportedSpan, type OtlpSink, startOtlpSink } from './otlp-sink.ts'
export {
  type ChainPlatform,
  type ChainPlatformOptions,
  startChainPlatform,
  startTestEnvironment,
  type TestEnvironment,
} from './platform/chain-platform.ts'
export { doctorChecks } from './platform/doctor-checks.ts'
export { changeLaneRoles } from './platform/lane-role-change.ts'
export { newTestAgent, type TestAgent } from './platform/new-test-agent.ts'
export { openGig } from './platform/open-gig.ts'
export { startPlatform, type TestPlatform, type TestPlatformOptions } from './platform/platform.ts'
export { published } from './platform/published.ts'
export {
  type CommandMemory,
  commandConfirmed,
  commandFailed,
  commandMemory,
  commandReorged,
  knownNetworks,
  laneStatus,
  newHash,
  newWallet,
  receiveCommands,
} from './platform/relayer.ts'
export { samplePayloads } from './platform/sample.ts'
export { corrected, released } from './platform/settlement.ts'
export { type Exchange, openSystem, type Player, type System } from './platform/system.ts'
export { oracleKey, startTestDevnets } from './platform/test-devnets.ts'
export { cpuSeconds, proportionalMb, residentMb, threadSeconds } from './process-use.ts'
export { type Program, startProgram } from './program.ts'
export { median, quantile } from './quantile.ts'
export { seeded } from './random.ts'
export { until } from './until.ts'
