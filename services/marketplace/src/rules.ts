// The pure rules of this service, for the lab that attacks them (libs/trust-lab).
export { feeFor, split } from './fees.ts'
