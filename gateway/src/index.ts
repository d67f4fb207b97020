export type { Payment, PaymentStep } from './payment.ts'
export { type GatewayOptions, type RunningGateway, startGateway } from './start.ts'
