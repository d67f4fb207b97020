import { createHash } from 'node:crypto'
import { chainOfPayment, networks, paymentTerms, paymentTermsV1, toChecksum } from '@carapace/chain'
import { recordIdOf } from '@carapace/service'
import { z } from 'zod'
import type { Parts } from '../parts.ts'
import { claimPayment, type Purchase } from './claim.ts'
import { longestAuthorizationMs, type X402Payment } from './payment.ts'
import { refusePayment } from './refuse.ts'

const uint = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt)

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform(value => value.toLowerCase())

const authorized = z.object({
  signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2}){65,2048}$/),
  authorization: z.object({
    from: address,
    to: address,
    value: uint,
    validAfter: uint,
    validBefore: uint,
    nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  }),
})

const payloadV1 = z.object({ x402Version: z.literal(1), scheme: z.string(), network: z.string(), payload: authorized })
const payloadV2 = z.object({ x402Version: z.literal(2), accepted: z.looseObject({ scheme: z.string(), network: z.string() }), payload: authorized })

export interface Authorized {
  scheme: 'v1' | 'v2'
  payload: Record<string, unknown>
}

const tooLong = 'invalid_exact_evm_payload_authorization_valid_before'

/**
 * Verifies and settles a payment by a signed authorisation (x402 v1, v2).
 * @throws PAYMENT_INVALID, REPLAY_DETECTED, CHAIN_UNAVAILABLE
 */
export async function collectAuthorized(parts: Parts, purchase: Purchase, sent: Authorized): Promise<X402Payment> {
  const { chain, payload } = readAuthorized(sent)
  const { authorization, signature } = payload
  const nonce = authorization.nonce.toLowerCase()
  const id = recordIdOf(createHash('sha256').update(`x402\n${chain}\n${authorization.from}\n${nonce}`).digest('hex'))
  return claimPayment(parts, purchase, id, async () => {
    needWanted(purchase, { chain, payer: toChecksum(authorization.from), amount: authorization.value })
    // the packages and their dependencies cost a third of a second, which no start should wait for
    const [{ verifyPayment }, network] = await Promise.all([import('./signer/verify.ts'), parts.networks.of(chain)])
    const terms = paymentTerms(network, purchase.price, purchase.payTo)
    const resource = { url: '', description: '', mimeType: '' }
    const reason = await verifyPayment(parts, chain, sent.payload, sent.scheme === 'v1' ? paymentTermsV1(terms, chain, resource) : terms)
    if (reason !== undefined) refusePayment(reason)
    const { validAfter, validBefore } = authorization
    if (Number(validBefore) * 1_000 > Date.now() + longestAuthorizationMs) refusePayment(tooLong, 'It may be valid for an hour at most')
    const payer = toChecksum(authorization.from)
    return { scheme: sent.scheme, chain, payer, amount: authorization.value, nonce, signed: { validAfter, validBefore, signature } }
  })
}

/** The intake accepts exact amounts, from the wallet of the agent alone: nothing is settled that would have to go back. */
function needWanted({ fund, price }: Purchase, { chain, payer, amount }: Pick<X402Payment, 'chain' | 'payer' | 'amount'>): void {
  if (!fund) return
  if (chain !== fund.chain) refusePayment('invalid_network', `This is paid on ${fund.chain}`)
  if (payer !== toChecksum(fund.payer)) refusePayment('recipient_mismatch', 'Only the registered wallet of the agent may pay')
  if (amount !== price) refusePayment('invalid_exact_evm_payload_authorization_value_mismatch', `The value must be ${price} micro-USDC`)
}

/** The parts of a payment by a signed authorisation, and the network that it names. @throws PAYMENT_INVALID invalid_payload, invalid_network */
export function readAuthorized({ scheme, payload }: Authorized) {
  const sent = scheme === 'v1' ? payloadV1.safeParse(payload).data : payloadV2.safeParse(payload).data
  if (!sent) return refusePayment('invalid_payload')
  const network = 'accepted' in sent ? sent.accepted.network : sent.network
  return { chain: chainOfPayment(network) ?? refusePayment('invalid_network'), payload: sent.payload }
}

/** What x402 calls a network, in the version of a scheme. */
export const networkName = ({ scheme, chain }: Pick<X402Payment, 'scheme' | 'chain'>): string =>
  scheme === 'v1' ? networks[chain].x402Name : `eip155:${networks[chain].chainId}`
