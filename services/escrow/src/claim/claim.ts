import type { Chain } from '@carapace/api'
import { followOutcome, type OnChain, observedOutcome } from '@carapace/chain'
import { amountOf, greatest, least } from '../amounts.ts'
import type { Held } from '../reward/reward.ts'
import { type ClaimState, type ClaimTrigger, claimStates } from './claim-states.ts'

/** A payment of rewards to a validator. */
export interface Claim {
  id: string
  validatorId: string
  wallet: string
  chain: Chain
  /** micro-USDC: what was requested, once it is claimed what the contract paid. */
  amount: bigint
  /** What it pays for. */
  rewards: { validationId: string; amount: bigint }[]
  /** What any of its rounds requested, of each reward the largest amount: the contract may have paid any round. */
  requested: Claim['rewards']
  status: ClaimState
  /** Of its command; the round is that of the swarm's request, too, unless `requestRound` is set. */
  onChain: OnChain & { round: number }
  /** Of the swarm's newest request where no command was sent for it: it was not covered, or an earlier round had been paid. */
  requestRound?: number
  /** `seq` of the payment whose amount is not known because its logs were away: the relayer is polled for them. */
  unloggedSeq?: number
}

/** Of the swarm's newest request. */
export const roundOf = ({ onChain, requestRound }: Pick<Claim, 'onChain' | 'requestRound'>): number => requestRound ?? onChain.round

/** What the relayer says about a round of the payment. */
export type Outcome = { round: number; seq: number } & (
  | { is: 'confirmed'; txHash: string; blockNumber: number; already?: boolean /** micro-USDC; undefined: as requested. */; paid?: bigint }
  | { is: 'failed'; code: string; message: string }
)

export type Step = Exclude<ClaimTrigger, 'retry'>

/**
 * The step that an outcome means; undefined when it is stale, about a later round, or leads nowhere. The contract pays a claim once: what it paid in
 * an earlier round is the payment of this one.
 */
export function stepFor(claim: Pick<Claim, 'status' | 'onChain' | 'amount' | 'unloggedSeq'>, outcome: Outcome): Step | undefined {
  const { status, onChain, amount, unloggedSeq = 0 } = claim
  if (outcome.round > onChain.round || !afterOutcome(onChain, outcome)) return undefined
  const isPossible = (step: Step): boolean => claimStates.next(status, step) !== undefined
  if (outcome.is === 'failed') return (['fail', 'reverse', 'repeatFailure'] as const).find(isPossible)
  // a claim under way is polled in any case
  if (isUnclear(onChain, outcome)) return isPossible('awaitLogs') && outcome.seq > unloggedSeq ? 'awaitLogs' : undefined
  const isOther = outcome.paid !== undefined && outcome.paid !== amount
  return (['pay', 'payLate', isOther ? 'correct' : 'reinclude'] as const).find(isPossible)
}

/**
 * The payment was found on chain without its logs, and an earlier round may have made it, for another amount. The relayer is polled until the logs
 * are known, and nothing is booked before. A first round can only have paid what it requested.
 */
const isUnclear = (onChain: Claim['onChain'], outcome: Outcome): boolean =>
  onChain.round > 1 && outcome.is === 'confirmed' && outcome.already === true && outcome.paid === undefined

/** Undefined when the outcome is stale. */
const afterOutcome = (onChain: OnChain, outcome: Outcome): OnChain | undefined => followOutcome(onChain, observedOutcome(outcome))

const chainStates = { claiming: 'pending', claimed: 'confirmed', failed: 'failed' } as const satisfies Record<ClaimState, OnChain['status']>

/** Before `onChain` was one field, a claim had parts of it. */
type OldClaim = { round?: number; seq?: number; txHash?: string | null }

/** A stored claim in the present form. */
export function upgradeClaim<C extends Claim>(claim: C): C {
  if (claim.onChain && claim.requested) return claim
  const { requested = claim.rewards } = claim
  if (claim.onChain) return { ...claim, requested }
  const { round = 1, seq = 0, txHash = null, ...rest } = claim as C & OldClaim
  const onChain: Claim['onChain'] = { status: chainStates[claim.status], txHash, blockNumber: null, error: null, round, seq }
  return { ...rest, requested, onChain } as unknown as C
}

/** What the rounds of a claim have requested, with one more: the rewards of that one first. */
export function withRequest(requested: Claim['rewards'], rewards: Claim['rewards']): Claim['rewards'] {
  const amounts = new Map(rewards.map(({ validationId, amount }) => [validationId, amount]))
  for (const { validationId, amount } of requested) amounts.set(validationId, greatest(amount, amounts.get(validationId) ?? 0n))
  return [...amounts].map(([validationId, amount]) => ({ validationId, amount }))
}

/** What of the rewards a payment covers, in their order. */
export function coveredBy(paid: bigint, rewards: Claim['rewards']): Claim['rewards'] {
  let left = paid
  const covered = rewards.map(({ validationId, amount }) => {
    const part = least(amount, left)
    left -= part
    return { validationId, amount: part }
  })
  return covered.filter(({ amount }) => amount > 0n)
}

/** What was paid above the rewards of the claim: an earlier round requested others, too, or they were paid by another claim meanwhile. */
export const surplusOf = ({ amount, rewards }: Pick<Claim, 'amount' | 'rewards'>): bigint => amount - amountOf(rewards)

/**
 * The claim after a step.
 * @param open what it requested and no other claim has: what a payment is booked on
 */
export function applyStep(claim: Claim, step: Step, outcome: Outcome, open: Claim['rewards'] = claim.requested): Claim {
  const status = claimStates.move(claim.status, step)
  if (step === 'awaitLogs') return { ...claim, status, unloggedSeq: outcome.seq }
  const { unloggedSeq = 0, ...rest } = claim
  return {
    ...rest,
    ...(unloggedSeq > outcome.seq ? { unloggedSeq } : {}),
    ...(outcome.is === 'confirmed' && isPayment(step) ? paidOf(claim, outcome, open) : {}),
    status,
    onChain: { ...claim.onChain, ...afterOutcome(claim.onChain, outcome), round: claim.onChain.round },
  }
}

/** Whether the step books what the contract paid. */
export const isPayment = (step: Step): boolean => step === 'pay' || step === 'payLate' || step === 'correct'

function paidOf(
  { amount: requested }: Claim,
  { paid = requested }: Outcome & { is: 'confirmed' },
  open: Claim['rewards'],
): Pick<Claim, 'amount' | 'rewards'> {
  return { amount: paid, rewards: coveredBy(paid, open) }
}

/** What a claim has of each reward. */
export const heldBy = (claim: Pick<Claim, 'status' | 'rewards'> | undefined): Map<string, Held> =>
  new Map(
    claim === undefined || claim.status === 'failed'
      ? []
      : claim.rewards.map(({ validationId, amount }) => [validationId, held(claim.status, amount)]),
  )

const held = (status: ClaimState, amount: bigint): Held => ({
  claiming: status === 'claiming' ? amount : 0n,
  claimed: status === 'claimed' ? amount : 0n,
})

/** What a change of a claim changes of each reward. */
export function heldChanges(before: Pick<Claim, 'status' | 'rewards'> | undefined, after: Pick<Claim, 'status' | 'rewards'>): Map<string, Held> {
  const [was, is] = [heldBy(before), heldBy(after)]
  const changes = [...new Set([...was.keys(), ...is.keys()])].map((id): [string, Held] => {
    const [from, to] = [was.get(id) ?? nothing, is.get(id) ?? nothing]
    return [id, { claiming: to.claiming - from.claiming, claimed: to.claimed - from.claimed }]
  })
  return new Map(changes.filter(([, { claiming, claimed }]) => claiming !== 0n || claimed !== 0n))
}
const nothing: Held = { claiming: 0n, claimed: 0n }
