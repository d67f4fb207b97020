import { type Chain, chains } from '@carapace/api'
import { networks, type PaymentTerms, type PaymentTermsV1 } from '@carapace/chain'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/facilitator'
import type { Parts } from '../../parts.ts'
import { type ChainReads, chainReads } from './signer.ts'

/** Why the packages refused a payment, in the codes of x402; undefined: it is valid. */
export type InvalidReason = string | undefined

/**
 * Whether a payment by an x402 client meets our terms, never those that it names itself.
 * @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE
 */
export async function verifyPayment(
  parts: Parts,
  chain: Chain,
  payload: Record<string, unknown>,
  terms: PaymentTerms | PaymentTermsV1,
): Promise<InvalidReason> {
  const reads = chainReads(parts, chain, await parts.networks.lane(chain))
  const facilitator = register(new x402Facilitator(), chain, reads)
  const { isValid, invalidReason } = await facilitator
    .verify(payload as unknown as PaymentPayload, terms as PaymentRequirements)
    .catch((): { isValid: boolean; invalidReason?: string } => ({ isValid: false, invalidReason: 'unexpected_verify_error' }))
  const failure = reads.failure()
  if (!isValid && failure !== undefined) throw failure
  return isValid ? undefined : (invalidReason ?? 'invalid_payload')
}

/** Schemes, networks and senders, for GET /facilitator/supported. */
export async function supportedKinds(parts: Parts) {
  const facilitator = new x402Facilitator()
  for (const chain of chains) register(facilitator, chain, chainReads(parts, chain, await parts.networks.lane(chain)))
  const { kinds, extensions, signers } = facilitator.getSupported()
  return { kinds: kinds.map(kind => ({ ...kind, x402Version: kind.x402Version === 1 ? (1 as const) : (2 as const) })), extensions, signers }
}

/** One signer belongs to one network, so each pair is registered by its own names. */
function register(facilitator: x402Facilitator, chain: Chain, { signer }: ChainReads): x402Facilitator {
  const { chainId, x402Name } = networks[chain]
  return facilitator
    .register(`eip155:${chainId}`, new ExactEvmScheme(signer))
    .registerV1(x402Name as `${string}:${string}`, new ExactEvmSchemeV1(signer))
}
