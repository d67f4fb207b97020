import { depositStates } from './deposit/deposit-states.ts'
import { paymentStates } from './payment/payment.ts'
import { reservationStates } from './reservation/reservation.ts'
import { x402PaymentStates } from './x402/payment-states.ts'
import { transferStates } from './x402/transfer.ts'

export const states = [depositStates, paymentStates, reservationStates, x402PaymentStates, transferStates]
