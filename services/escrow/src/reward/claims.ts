import { type PayloadOf, Refusal, type rewardClaimRequested, rewardFailed, rewardPaid } from '@carapace/api'
import { commands } from '@carapace/chain'
import { account, type Posting, transfer } from '../ledger.ts'
import type { Parts } from '../parts.ts'
import { post, transact } from '../transact.ts'
import type { Claim } from './reward.store.ts'
import { claim } from './reward.ts'

type Requested = PayloadOf<typeof rewardClaimRequested>

const facts = ({ id, validatorId, chain, amount, rewards }: Claim) => ({
  claimId: id,
  validatorId,
  chain,
  amount,
  validationIds: rewards.map(({ validationId }) => validationId),
})
const posting = (key: string, { id }: Claim, lines: Posting['lines'], txHash: string | null = null): Posting => ({
  key,
  ref: { type: 'claim', id },
  lines,
  txHash,
})

/** Pays funded rewards out. A claim that is not covered fails at once, nothing is sent. */
export async function startClaim(parts: Parts, request: Requested): Promise<void> {
  const { claimId, validatorId, wallet, chain, amount, rewards } = request
  const record: Claim = { id: claimId, validatorId, wallet, chain, amount, rewards, status: 'claiming', txHash: null }
  if (await parts.claims.get(claimId)) return
  try {
    if (rewards.reduce((sum, part) => sum + part.amount, 0n) !== amount || amount <= 0n) throw new Refusal('VALIDATION_ERROR')
    await transact(parts, async session => {
      await parts.claims.create(record, [commands.rewardPay({ claimId, to: wallet, amount, chain })], { session })
      for (const part of rewards)
        await parts.rewards.change(part.validationId, reward => claim(reward, validatorId, part.amount, 'start'), { session })
      const lines = rewards.flatMap(part => transfer(account.reward(part.validationId, validatorId), account.transit(claimId), part.amount))
      await post(parts, chain, [posting(`claim:${claimId}`, record, lines)], session)
    })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code === 'CONFLICT' || error.code === 'ALREADY_EXISTS') throw error
    await parts.claims.create({ ...record, status: 'failed' }, [rewardFailed.of({ ...facts(record), code: 'NOT_FUNDED' })])
  }
}

export async function claimPaid(parts: Parts, claimId: string, txHash: string): Promise<void> {
  await end(parts, claimId, 'paid', record => ({
    state: { ...record, status: 'claimed', txHash },
    events: [rewardPaid.of({ ...facts(record), txHash, paidAt: parts.clock.now().toISOString() })],
    posting: posting(`claim-paid:${claimId}`, record, transfer(account.transit(claimId), account.outside(record.wallet), record.amount), txHash),
  }))
}

/** The terminal failure of the payment: the rewards can be claimed again. */
export async function claimFailed(parts: Parts, claimId: string, code: string): Promise<void> {
  await end(parts, claimId, 'back', record => ({
    state: { ...record, status: 'failed' },
    events: [rewardFailed.of({ ...facts(record), code })],
    posting: posting(
      `claim-failed:${claimId}`,
      record,
      record.rewards.flatMap(part => transfer(account.transit(claimId), account.reward(part.validationId, record.validatorId), part.amount)),
    ),
  }))
}

async function end(
  parts: Parts,
  claimId: string,
  step: 'paid' | 'back',
  decide: (record: Claim) => { state: Claim; events: ReturnType<typeof rewardPaid.of>[]; posting: Posting },
): Promise<void> {
  if (!(await parts.claims.get(claimId))) return
  await transact(parts, async session => {
    let ended: Posting | undefined
    const record = await parts.claims.change(
      claimId,
      present => {
        if (present.status !== 'claiming') return undefined
        const { posting: lines, ...decision } = decide(present)
        ended = lines
        return decision
      },
      { session },
    )
    if (!ended) return
    for (const part of record.rewards)
      await parts.rewards.change(part.validationId, reward => claim(reward, record.validatorId, part.amount, step), { session })
    await post(parts, record.chain, [ended], session)
  })
}
