import type { PayloadOf, slashRecorded } from '@carapace/api'
import type { Fact } from '@carapace/formula'

// What the log says of an event. Pure, so that the lab that attacks the score (libs/trust-lab) writes the same.

type FactOf<T extends Fact['type']> = Extract<Fact, { type: T }>

export const bondFact = (change: FactOf<'bond'>['change'], { totalBonded }: { totalBonded: bigint }): Fact => ({
  type: 'bond',
  total: String(totalBonded),
  change,
})

export const lockEndFact = ({ gigId, clean }: { gigId: string; clean: boolean }): Fact => ({ type: 'bond_lock_ended', gigId, clean })

/** One that follows a panel's verdict is small: its failure counts already. */
export const slashFact = ({
  slashId,
  status,
  amount,
  validationId,
}: Pick<PayloadOf<typeof slashRecorded>, 'slashId' | 'status' | 'amount' | 'validationId'>): Fact => ({
  type: 'slash',
  slashId,
  status,
  amount: String(amount),
  cause: validationId === null ? 'decision' : 'verdict',
})

/** Of the assignee. */
export const failureFact = (
  reason: FactOf<'failed'>['reason'],
  { posterId, gigId, budget }: { posterId: string; gigId: string; budget: bigint },
): FactOf<'failed'> => ({ type: 'failed', with: posterId, reason, gigId, budget: String(budget) })

interface Payment {
  posterId: string
  assigneeId: string
  gigId: string
  fee: bigint
  net: bigint
  creditable: boolean
  posterScore: number
  assigneeScore: number
}

/** A payment counts for both sides; the other's score is the one as of the settlement. */
export function paymentFacts({ posterId, assigneeId, gigId, fee, net, creditable, posterScore, assigneeScore }: Payment): {
  ofAssignee: FactOf<'settled'>
  ofPoster: FactOf<'settled'>
} {
  const common = { type: 'settled', fee: String(fee), gigId, creditable } as const
  const ofAssignee: FactOf<'settled'> = { ...common, role: 'assignee', with: posterId, theirScore: posterScore, net: String(net) }
  const ofPoster: FactOf<'settled'> = { ...common, role: 'poster', with: assigneeId, theirScore: assigneeScore, net: '0' }
  return { ofAssignee, ofPoster }
}

/** Of a voter, once the money has moved by a judgement of the work. */
export const judgedFact = (
  vote: 'approve' | 'reject',
  { validationId, verdict }: { validationId: string; verdict: 'approved' | 'rejected' },
): Fact => ({
  type: 'vote_judged',
  validationId,
  withVerdict: (vote === 'approve') === (verdict === 'approved'),
  vote,
})
