import { startScore, type Tier, tiers } from '@carapace/formula/terms'
import { z } from 'zod'
import { type Chain, chains } from './fields.ts'

/** Words of the domain that several services use in answers, requests and events. */
export const tier = z.enum(tiers).meta({ id: 'Tier', description: 'Tier of the FusedScore' })

export const riskLevels = ['low', 'medium', 'high'] as const
export const riskLevel = z.enum(riskLevels)
/** The level of a risk score, 0..100 (behaviour 17.5). */
export function riskLevelOf(riskScore: number): (typeof riskLevels)[number] {
  if (riskScore <= 25) return 'low'
  return riskScore <= 60 ? 'medium' : 'high'
}
export const recommendation = z.enum(['HIRE', 'CAUTION', 'AVOID'])
export const bondTier = z.enum(['UNBONDED', 'BONDED', 'HIGH_BOND'])
export const bondStatus = z.enum(['BONDED', 'UNBONDED'])
export const agentStatus = z.enum(['active', 'suspended', 'migrated'])
export const activityStatus = z.enum(['active', 'warm', 'cooling', 'dormant', 'inactive'])
export const autonomyStatus = z.enum(['pending', 'registered', 'active'])
export const crewRoles = ['LEAD', 'RESEARCHER', 'CODER', 'DESIGNER', 'VALIDATOR'] as const
export const crewRole = z.enum(crewRoles)
export const currency = z.literal('USDC')

/** The standing of an agent without any activity (behaviour 17.1). */
export const newAgentScore = { fusedScore: startScore, tier: 'Hatchling', riskScore: 0 } as const satisfies {
  fusedScore: number
  tier: Tier
  riskScore: number
}

/** The four parts of the FusedScore, 0 to 100 each, 1 decimal. */
export const scoreComponents = z
  .looseObject({ gigPerformance: z.number(), bondReliability: z.number(), onChainBehaviour: z.number(), ecosystemSignals: z.number() })
  .meta({ id: 'ScoreComponents' })

/** One value per network. */
export const perChain = <S extends z.ZodType>(schema: S) =>
  z.looseObject(Object.fromEntries(chains.map(chain => [chain, schema])) as Record<Chain, S>)

const unixSeconds = z
  .int('must be Unix seconds')
  .min(0)
  .max(2 ** 40)
/**
 * A token authorisation in the body, signed by the payer's wallet over the full amount: EIP-3009 receiveWithAuthorization to the contract
 * (its nonce is the business key that the 402 answer names) or an EIP-2612 permit for the contract.
 */
export const authorizationIn = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('eip3009'),
      validAfter: unixSeconds.default(0),
      validBefore: unixSeconds,
      signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2}){65,2048}$/, 'must be 0x and at least 65 bytes of hex'),
    }),
    z.object({
      type: z.literal('eip2612'),
      deadline: unixSeconds,
      signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2}){65,2048}$/, 'must be 0x and at least 65 bytes of hex'),
    }),
  ])
  .meta({ description: 'Token authorisation by the payer for exactly the amount' })
export type Authorization = z.output<typeof authorizationIn>
