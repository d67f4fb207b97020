export { isLocal } from './door/local.ts'
export { type GatewayOptions, type RunningGateway, startGateway } from './start.ts'
