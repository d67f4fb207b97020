import type { Chain } from '@carapace/api'
import type { Signer } from '../../custody/custody.ts'
import type { LaneParts } from '../lane.ts'

/** Who sends on a network: the name of its lane. @example 'BASE_SEPOLIA:0x1a…' */
export const laneIdOf = (chain: Chain, { address }: Pick<Signer, 'address'>): string => `${chain}:${address}`

/**
 * The lane of the former key next to that of the present one; undefined when no keys are exchanged. What the present one gives to it is in the
 * collection only, so that is searched with every reconciliation.
 */
export function retiringPartsOf({ retiring, timings, ...parts }: LaneParts): LaneParts | undefined {
  return retiring && { ...parts, ...retiring, isRetiring: true, presentId: parts.id, timings: { ...timings, storeCheckMs: timings.reconcileMs } }
}
