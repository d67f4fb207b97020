import { account, type Posting, transfer } from '../ledger.ts'
import { type Claim, heldChanges, surplusOf } from './claim.ts'
import type { ClaimState } from './claim-states.ts'

/** What a change of a payment means for the ledger: a pure function of the two states. What it had goes back, what it has now leaves the rewards. */
export function claimPostings(before: Claim | undefined, after: Claim): Posting[] {
  const isSame = before?.status === after.status && before.amount === after.amount && heldChanges(before, after).size === 0
  const lines = isSame ? [] : [...(before ? reversedLines(movedLines(before)) : []), ...movedLines(after)]
  return lines.length ? [{ ...keyOf(before?.status ?? 'failed', after), ref: { type: 'claim', id: after.id }, lines }] : []
}

/** What left the rewards for it: to its command, or to the validator. What the contract paid above its rewards is the pool's loss. */
function movedLines(claim: Claim): Posting['lines'] {
  const { id, status, validatorId, wallet, rewards } = claim
  if (status === 'failed') return []
  const target = status === 'claimed' ? account.outside(wallet) : account.transit(id)
  const surplus = status === 'claimed' ? surplusOf(claim) : 0n
  return [
    ...rewards.flatMap(part => transfer(account.reward(part.validationId, validatorId), target, part.amount)),
    ...(surplus > 0n ? transfer(account.poolLoss, target, surplus) : []),
  ]
}

const reversedLines = (lines: Posting['lines']): Posting['lines'] =>
  lines.map(({ account: name, debit, credit }) => ({ account: name, debit: credit, credit: debit }))

/** A round is requested, paid and fails once; what follows a payment or a failure comes as often as reorganisations do. */
function keyOf(from: ClaimState, { id, status, onChain: { round, seq, txHash } }: Claim): Pick<Posting, 'key' | 'txHash'> {
  const once = `${id}:${round}`
  if (status === 'claiming') return { key: `claim:${once}`, txHash: null }
  if (from === 'claiming')
    return { key: `${status === 'claimed' ? 'claim-paid' : 'claim-failed'}:${once}`, txHash: status === 'claimed' ? txHash : null }
  if (status === 'failed') return { key: `claim-undone:${once}:${seq}`, txHash: null }
  return { key: `${from === 'claimed' ? 'claim-corrected' : 'claim-late'}:${once}:${seq}`, txHash }
}
