import { type Draft, type PayloadOf, Refusal, refuse, refuseField, type rewardClaimRequested, rewardFailed, rewardPaid } from '@carapace/api'
import { commands, sentOnChain } from '@carapace/chain'
import { orExisting, transact } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import { least } from '../amounts.ts'
import type { Parts } from '../parts.ts'
import { claim, claimableOf } from '../reward/reward.ts'
import { applyStep, type Claim, heldBy, heldChanges, isPayment, type Outcome, roundOf, type Step, stepFor, withRequest } from './claim.ts'
import { claimStates } from './claim-states.ts'

type Requested = Omit<PayloadOf<typeof rewardClaimRequested>, 'by'>

const facts = (paid: Claim) => ({
  claimId: paid.id,
  round: roundOf(paid),
  validatorId: paid.validatorId,
  chain: paid.chain,
  amount: paid.amount,
  validationIds: paid.rewards.map(({ validationId }) => validationId),
})

/**
 * Pays funded rewards out. A claim that is not covered fails immediately, nothing is sent. One that failed before is paid as its next round:
 * the contract pays a claim once, in any round. One that the chain paid after its failure is answered with that payment.
 */
export async function startClaim(parts: Parts, request: Requested): Promise<void> {
  const { claimId, round, validatorId, wallet, chain, amount, rewards } = request
  const stored = await parts.claims.get(claimId)
  if (stored && roundOf(stored) >= round) return
  if (stored?.status === 'claimed') return answerClaimed(parts, request)
  const status = stored ? claimStates.move(stored.status, 'retry') : claimStates.initial
  const onChain = { ...sentOnChain, round, seq: stored?.onChain.seq ?? 0 }
  const requested = withRequest(stored?.requested ?? [], rewards)
  const record: Claim = { id: claimId, validatorId, wallet, chain, amount, rewards, requested, status, onChain }
  // an outcome of an earlier round, or another delivery, may have changed it meanwhile
  const isSame = (present: Claim): boolean => present.status === stored?.status && roundOf(present) === roundOf(stored)
  const save = (state: Claim, events: Draft[], options: { session?: ClientSession } = {}) =>
    stored
      ? parts.claims.change(claimId, present => (isSame(present) ? { state, events } : refuse('CONFLICT')), options)
      : parts.claims.create(state, events, options)
  try {
    if (rewards.reduce((sum, part) => sum + part.amount, 0n) !== amount || amount <= 0n) refuseField('rewards', 'must add up to the amount')
    const started = transact(parts, async session => {
      await save(record, [commands.rewardPay({ claimId, to: wallet, amount, chain, round })], { session })
      await changeRewards(parts, undefined, record, session)
    })
    // another delivery may have started this very round
    await orExisting<unknown>(started, async () => {
      const present = await parts.claims.get(claimId)
      return present && roundOf(present) >= round ? present : undefined
    })
  } catch (error) {
    // what fails in passing says nothing about the claim: the request comes again
    if (!(error instanceof Refusal) || error.isRetryable) throw error
    // of an earlier round that was sent, its command may still have its effect
    const unsent: Claim = stored
      ? { ...stored, requestRound: round }
      : { ...record, status: claimStates.move(status, 'fail'), onChain: { ...onChain, status: 'failed', error: 'NOT_FUNDED' } }
    await save(unsent, [rewardFailed.of({ ...facts(record), code: 'NOT_FUNDED' })])
  }
}

/** The contract has paid the claim in an earlier round, and pays none twice: that payment is the answer. */
async function answerClaimed(parts: Parts, request: Requested): Promise<void> {
  const answered = await parts.claims.change(request.claimId, present => {
    if (present.status !== 'claimed' || roundOf(present) >= request.round) return undefined
    const state: Claim = { ...present, requestRound: request.round }
    return { state, events: [paidEvent(parts, state, present.onChain.txHash!)] }
  })
  // reversed meanwhile: it is paid as any other
  if (roundOf(answered) < request.round) await startClaim(parts, request)
}

/** Follows an outcome of the payment: claim, rewards and ledger in one transaction. After a failure the rewards can be claimed again. */
export async function followClaim(parts: Parts, claimId: string, outcome: Outcome): Promise<void> {
  const stored = await parts.claims.get(claimId)
  if (!stored || stepFor(stored, outcome) === undefined) return
  await transact(parts, async session => {
    const present = await parts.claims.need(claimId, session)
    const step = stepFor(present, outcome)
    if (step === undefined) return
    const after = applyStep(present, step, outcome, isPayment(step) ? await openRewards(parts, present, session) : undefined)
    await parts.claims.change(claimId, () => ({ state: after, events: outcomeEvents(parts, after, step, outcome) }), { session })
    await changeRewards(parts, present, after, session)
  })
}

async function changeRewards({ rewards }: Parts, before: Claim | undefined, after: Claim, session: ClientSession): Promise<void> {
  for (const [validationId, change] of heldChanges(before, after))
    await rewards.change(validationId, reward => claim(reward, after.validatorId, change), { session })
}

/** What the claim requested, as far as no other claim has it; what it has already comes first. */
async function openRewards({ rewards }: Parts, present: Claim, session: ClientSession): Promise<Claim['rewards']> {
  const own = heldBy(present)
  const open: Claim['rewards'] = []
  for (const { validationId, amount } of withRequest(present.requested, present.rewards)) {
    const { claiming = 0n, claimed = 0n } = own.get(validationId) ?? {}
    const reward = await rewards.get(validationId, session)
    if (reward) open.push({ validationId, amount: least(amount, claimableOf(reward, present.validatorId) + claiming + claimed) })
  }
  return open
}

const paidEvent = ({ clock }: Parts, paid: Claim, txHash: string): Draft =>
  rewardPaid.of({ ...facts(paid), rewards: paid.rewards, txHash, paidAt: clock.now().toISOString() })

/** The step changes only what is known of the command. */
const isNotice = (step: Step): boolean => step === 'reinclude' || step === 'repeatFailure' || step === 'awaitLogs'

function outcomeEvents(parts: Parts, after: Claim, step: Step, outcome: Outcome): Draft[] {
  if (isNotice(step)) return []
  return outcome.is === 'confirmed' ? [paidEvent(parts, after, outcome.txHash)] : [rewardFailed.of({ ...facts(after), code: outcome.code })]
}
