export { acquireBroker, type Broker, type OwnBroker, startOwnBroker } from './broker.ts'
export { busConformance, outgoing, testRetry, unique } from './bus-conformance.ts'
export { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
export { until } from './until.ts'
