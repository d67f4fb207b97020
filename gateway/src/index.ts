export { type GatewayOptions, type RunningGateway, startGateway } from './start.ts'
