import type { Parts } from '../parts.ts'
import { fund, type Reward, rewardId } from './reward.ts'

/** What the escrow has funded of a validation so far. @returns false before the rewards are stored */
export async function followFunding(
  { rewards, clock }: Parts,
  validationId: string,
  of: readonly { validatorId: string; funded: bigint }[],
): Promise<boolean> {
  const now = clock.now()
  const decides = of.map(({ validatorId, funded }) => [rewardId(validationId, validatorId), (present: Reward) => fund(present, funded, now)] as const)
  return (await rewards.rows.changeAll(new Map(decides))).size === of.length
}
