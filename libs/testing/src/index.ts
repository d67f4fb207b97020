export { acquireBroker, type Broker, type OwnBroker, startOwnBroker } from './broker.ts'
export { busConformance, outgoing, testRetry, unique } from './bus-conformance.ts'
export { type ChainPlatform, type ChainPlatformOptions, type StartGateway, startChainPlatform } from './chain-platform.ts'
export { codeOf } from './code-of.ts'
export { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
export { type Faults, type FaultyNode, startFaultyNode } from './faulty-node.ts'
export { startGatewayStub } from './gateway-stub.ts'
export { type Answer, type CallOptions, httpCall } from './http-call.ts'
export { lossyBus } from './lossy-bus.ts'
export { loseReads } from './lost-reads.ts'
export { acquireMongo, type TestMongo } from './mongo.ts'
export { neighbour } from './neighbour.ts'
export { newcomer, type TestAgent } from './newcomer.ts'
export { openGig } from './open-gig.ts'
export { startPlatform, type TestPlatform, type TestPlatformOptions } from './platform.ts'
export { cpuSeconds, residentMb } from './process-use.ts'
export { published } from './published.ts'
export { median, quantile } from './quantile.ts'
export { seeded } from './random.ts'
export {
  type CommandMemory,
  commandConfirmed,
  commandFailed,
  commandMemory,
  commandReorged,
  hearCommands,
  knownNetworks,
  laneStatus,
  newHash,
  newWallet,
} from './relayer.ts'
export { samplePayloads } from './sample.ts'
export { released, restated } from './settlement.ts'
export { type NewPlayer, openSystem, type Player, type System, type TestNetwork } from './system.ts'
export { startTestDevnets, type TestDevnets } from './test-devnets.ts'
export { until } from './until.ts'
