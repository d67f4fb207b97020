import { type Draft, type PayloadOf, Refusal, type rewardClaimRequested, rewardFailed, rewardPaid } from '@carapace/api'
import { commands } from '@carapace/chain'
import { transact } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import { account, type Posting, transfer } from '../ledger.ts'
import type { Parts } from '../parts.ts'
import { post } from '../post.ts'
import { type Claim, type Outcome, type Step, stepFor, take } from './claim.ts'
import { claim } from './reward.ts'

type Requested = PayloadOf<typeof rewardClaimRequested>

const facts = ({ id, round, validatorId, chain, amount, rewards }: Claim) => ({
  claimId: id,
  round,
  validatorId,
  chain,
  amount,
  validationIds: rewards.map(({ validationId }) => validationId),
})
const posting = (what: string, { id, round }: Claim, lines: Posting['lines'], txHash: string | null = null): Posting => ({
  key: `${what}:${id}:${round}`,
  ref: { type: 'claim', id },
  lines,
  txHash,
})

/**
 * Pays funded rewards out. A claim that is not covered fails at once, nothing is sent. One that failed before is paid as its next round:
 * the contract pays a claim once, whatever the round.
 */
export async function startClaim(parts: Parts, request: Requested): Promise<void> {
  const { claimId, round, validatorId, wallet, chain, amount, rewards } = request
  const record: Claim = { id: claimId, round, seq: 0, validatorId, wallet, chain, amount, rewards, status: 'claiming', txHash: null }
  const known = await parts.claims.get(claimId)
  if (known && known.round >= round) return
  if (known && known.status !== 'failed') throw new Error(`claim ${claimId} is ${known.status} in round ${known.round}: round ${round} cannot begin`)
  const keep = (state: Claim, events: Draft[], options: { session?: ClientSession } = {}) =>
    known
      ? parts.claims.change(claimId, present => (present.round < round ? { state, events } : undefined), options)
      : parts.claims.create(state, events, options)
  try {
    if (rewards.reduce((sum, part) => sum + part.amount, 0n) !== amount || amount <= 0n) throw new Refusal('VALIDATION_ERROR')
    await transact(parts, async session => {
      await keep(record, [commands.rewardPay({ claimId, to: wallet, amount, chain, round })], { session })
      for (const part of rewards)
        await parts.rewards.change(part.validationId, reward => claim(reward, validatorId, part.amount, 'start'), { session })
      const lines = rewards.flatMap(part => transfer(account.reward(part.validationId, validatorId), account.transit(claimId), part.amount))
      await post(parts, chain, [posting('claim', record, lines)], session)
    })
  } catch (error) {
    // what fails in passing says nothing about the claim: the request comes again
    if (!(error instanceof Refusal) || error.isRetryable || error.code === 'ALREADY_EXISTS') throw error
    await keep({ ...record, status: 'failed' }, [rewardFailed.of({ ...facts(record), code: 'NOT_FUNDED' })])
  }
}

/** Follows an outcome of the payment: claim, rewards and ledger in one transaction. After a failure the rewards can be claimed again. */
export async function followClaim(parts: Parts, claimId: string, outcome: Outcome): Promise<void> {
  const known = await parts.claims.get(claimId)
  if (!known || stepFor(known, outcome) === undefined) return
  await transact(parts, async session => {
    let step: Step | undefined
    const after = await parts.claims.change(
      claimId,
      present => {
        step = stepFor(present, outcome)
        return step && { state: take(present, step, outcome), events: told(parts, take(present, step, outcome), step, outcome) }
      },
      { session },
    )
    if (step === undefined || step === 'remine') return
    for (const part of after.rewards) {
      const moved = step
      await parts.rewards.change(part.validationId, reward => claim(reward, after.validatorId, part.amount, moved), { session })
    }
    await post(parts, after.chain, [postings[step](after)], session)
  })
}

function told({ clock }: Parts, after: Claim, step: Step, outcome: Outcome): Draft[] {
  if (step === 'remine') return []
  return outcome.is === 'confirmed'
    ? [rewardPaid.of({ ...facts(after), txHash: outcome.txHash, paidAt: clock.now().toISOString() })]
    : [rewardFailed.of({ ...facts(after), code: outcome.code })]
}

const givenBack = (from: string, { rewards, validatorId }: Claim) =>
  rewards.flatMap(part => transfer(from, account.reward(part.validationId, validatorId), part.amount))

const postings: Record<Exclude<Step, 'remine'>, (after: Claim) => Posting> = {
  pay: after => posting('claim-paid', after, transfer(account.transit(after.id), account.outside(after.wallet), after.amount), after.txHash),
  back: after => posting('claim-failed', after, givenBack(account.transit(after.id), after)),
  undo: after => posting('claim-undone', after, givenBack(account.outside(after.wallet), after)),
}
