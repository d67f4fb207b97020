import { Refusal } from '@carapace/api'
import { chainOfPayment, paymentTerms, paymentTermsV1, toChecksum } from '@carapace/chain'
import { z } from 'zod'
import type { Parts } from '../../parts.ts'
import { type Authorized, collectAuthorized, networkName, readAuthorized } from '../authorized.ts'
import { close } from '../lease.ts'
import { refusePayment } from '../refuse.ts'
import { lowestPrice } from './resources.ts'

export interface FacilitatorCall {
  x402Version: 1 | 2
  paymentPayload: Record<string, unknown>
  paymentRequirements: Record<string, unknown>
}

const digits = z
  .string()
  .regex(/^\d{1,30}$/)
  .transform(BigInt)
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
const requirements = z.object({ scheme: z.literal('exact'), network: z.string(), payTo: address, asset: address })
const amounts = { 1: z.object({ maxAmountRequired: digits }), 2: z.object({ amount: digits }) } as const

/**
 * What both calls refuse before anything is read of a network.
 * @throws PAYMENT_INVALID with a code of x402
 */
async function readCall(parts: Parts, payTo: string, call: FacilitatorCall) {
  const own = (await ownTerms(parts, payTo, call)) ?? refusePayment('invalid_payment_requirements')
  if (call.paymentPayload.x402Version !== call.x402Version) refusePayment('invalid_x402_version')
  const sent: Authorized = { scheme: call.x402Version === 1 ? 'v1' : 'v2', payload: call.paymentPayload }
  if (readAuthorized(sent).chain !== own.chain) refusePayment('invalid_exact_evm_network_mismatch')
  return { ...own, sent }
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Refusal)) throw error
  if (error.code === 'REPLAY_DETECTED') return 'invalid_exact_evm_nonce_already_used'
  if (error.code === 'PAYMENT_INVALID') return String(error.extras.details?.reason)
  throw error
}

/**
 * Requirements of the caller, held to our own: payments to others, in other tokens, or of less than anything costs here are none of ours. Undefined for
 * those. The platform pays the gas of a settlement, so that amounts of nothing would cost it without an end.
 */
async function ownTerms(parts: Parts, payTo: string, { x402Version, paymentRequirements }: FacilitatorCall) {
  const wanted = requirements.safeParse(paymentRequirements).data
  const price =
    x402Version === 1 ? amounts[1].safeParse(paymentRequirements).data?.maxAmountRequired : amounts[2].safeParse(paymentRequirements).data?.amount
  const chain = chainOfPayment(wanted?.network)
  if (!wanted || !chain || price === undefined || price < lowestPrice) return undefined
  const terms = paymentTerms(await parts.networks.of(chain), price, payTo)
  const isOurs = toChecksum(wanted.payTo) === toChecksum(payTo) && toChecksum(wanted.asset) === toChecksum(terms.asset)
  return isOurs ? { chain, price, terms } : undefined
}

/** POST /facilitator/verify. @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE */
export async function facilitateVerify(parts: Parts, payTo: string, call: FacilitatorCall) {
  const invalidReason = await readCall(parts, payTo, call).then(async ({ chain, terms }) => {
    const { verifyPayment } = await import('../signer/verify.ts')
    const resource = { url: '', description: '', mimeType: '' }
    return verifyPayment(parts, chain, call.paymentPayload, call.x402Version === 1 ? paymentTermsV1(terms, chain, resource) : terms)
  }, reasonOf)
  const payer = payerOf(call.paymentPayload)
  return { isValid: invalidReason === undefined, ...(invalidReason === undefined ? {} : { invalidReason }), ...(payer ? { payer } : {}) }
}

/** POST /facilitator/settle: the same claim, command and books as for a sold call. @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE */
export async function facilitateSettle(parts: Parts, payTo: string, call: FacilitatorCall) {
  const network = String(call.paymentRequirements.network ?? '')
  const payer = payerOf(call.paymentPayload)
  try {
    const { price, sent } = await readCall(parts, payTo, call)
    const purchase = { route: 'POST /facilitator/settle', price, payTo, agentId: null, buyer: 'facilitator' }
    const payment = await collectAuthorized(parts, purchase, sent)
    await parts.x402.change(payment.id, present => close(present, true))
    return {
      success: true,
      transaction: payment.onChain.txHash!,
      network: networkName(payment),
      payer: payment.payer,
      amount: String(payment.amount),
    }
  } catch (error) {
    return { success: false, transaction: '', network, errorReason: reasonOf(error), ...(payer ? { payer } : {}) }
  }
}

const authorized = z.object({ payload: z.object({ authorization: z.object({ from: address }) }) })
const payerOf = (payload: Record<string, unknown>): string | undefined => authorized.safeParse(payload).data?.payload.authorization.from
