import type { Parts } from '../parts.ts'
import { fund, rewardId } from './reward.ts'

/** What the escrow has funded of a validation so far. @returns false before the rewards are stored */
export async function followFunding(
  { rewards, clock }: Parts,
  validationId: string,
  of: readonly { validatorId: string; funded: bigint }[],
): Promise<boolean> {
  for (const { validatorId, funded } of of) {
    const reward = await rewards.rows.changeKnown(rewardId(validationId, validatorId), present => fund(present, funded, clock.now()))
    if (!reward) return false
  }
  return true
}
