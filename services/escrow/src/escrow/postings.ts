import { operationKey } from '@carapace/chain'
import { account, type Posting, transfer } from '../ledger.ts'
import type { Escrow, Lock, Settlement } from './escrow.ts'
import { holdsMoney } from './escrow-states.ts'

const isHeld = ({ status }: Escrow): boolean => status === 'funding' || holdsMoney(status)
const source = ({ kind, from }: Lock, gigId: string): string => {
  if (kind === 'x402') return account.clearing(operationKey('escrow.lock-x402', gigId))
  return kind === 'treasury' ? account.clearing(operationKey('escrow.lock', gigId)) : account.outside(from)
}
const clearing = (gigId: string): string => account.clearing(`escrow.settle:${gigId}`)
const target = ({ kind, from }: Lock, gigId: string): string => (kind === 'treasury' ? clearing(gigId) : account.outside(from))

/** What a change of an escrow means for the ledger: a pure function of the two states, so no transition can forget it. */
export function postings(before: Escrow, after: Escrow): Posting[] {
  // paid by another wallet than it was before a reorganisation; of a refund the same wallet has it back
  if (before.status === after.status) return before.lock && after.lock && after.status !== 'refunded' ? sourceCorrected(before.lock, after) : []
  if (after.status === 'unfunded' && before.settlement) return lockLost(before)
  const { id, amount } = after
  const ref = { type: 'escrow', id }
  if (before.status === 'funding' && isHeld(after)) return sourceCorrected(before.lock!, after)
  if (isHeld(before) === isHeld(after)) return []
  const own = account.escrow(id)
  if (isHeld(after)) {
    if (before.status === 'released' || before.status === 'refunded') return [settlementReversed(before)]
    const lock = after.lock!
    // what the chain has made is booked above the cap, too
    const locked = { key: `lock:${lockKey(after)}`, ref, lines: transfer(source(lock, id), own, amount), tvl: amount }
    return [{ ...locked, capped: lock.lateSeq === undefined }, ...lossReversed(before, after)]
  }
  if (after.status === 'released' || after.status === 'refunded') return settled(before, after)
  return [unlocked(before)]
}

const lockKey = ({ id, lock }: Pick<Escrow, 'id' | 'lock'>): string =>
  lock?.lateSeq === undefined ? `${id}:${lock!.onChain.round}` : `${id}:${lock.onChain.round}:${lock.lateSeq}`

/** An earlier round of the lock was the one that paid: its source gives the money, the one that was reserved has it back. */
function sourceCorrected(requested: Lock, { id, amount, lock }: Escrow): Posting[] {
  const [from, to] = [source(lock!, id), source(requested, id)]
  if (from === to) return []
  return [{ key: `lock-source:${id}:${lock!.onChain.round}:${lock!.onChain.seq}`, ref: { type: 'escrow', id }, lines: transfer(from, to, amount) }]
}

function settled(before: Escrow, after: Escrow): Posting[] {
  const { id, amount, settlement } = after
  const { onChain, payoutLost, undone: times } = settlement!
  const key = times > 0 ? `settle:${id}:${times}` : `settle:${id}`
  const paid: Posting = { key, ref: { type: 'escrow', id }, lines: paidOut(after), txHash: onChain.txHash, tvl: -amount }
  return payoutLost ? [paid, ...feeLost(before), debt(before)] : [paid, ...feeLost(before, settlement!.fee)]
}

/** A fee that was paid once and reversed is still in the pool, or spent from there: the second payment fills the clearing account again. */
function paidOut({ id, amount, status, lock, settlement }: Escrow) {
  const own = account.escrow(id)
  if (status === 'refunded') return transfer(own, target(lock!, id), amount)
  const { fee, treasury, external, undone: times } = settlement!
  return [
    ...(fee > 0n ? transfer(own, times > 0 ? clearing(id) : account.feePool, fee) : []),
    ...(treasury > 0n ? transfer(own, clearing(id), treasury) : []),
    ...transfer(own, account.outside(lock!.payee), external),
  ]
}

/** The settlement was reorganised away: the account of the gig has its money back. The pool may have spent the fee: clearing lends it. */
function settlementReversed(before: Escrow): Posting {
  const { id, amount, settlement } = before
  const lines = paidOut({ ...before, settlement: { ...settlement!, undone: 1 } }).map(({ account: name, debit, credit }) => ({
    account: name,
    debit: credit,
    credit: debit,
  }))
  return { key: `settle-undone:${id}:${settlement!.undone + 1}`, ref: { type: 'escrow', id }, lines, tvl: amount }
}

/** The lock failed: its counterpart goes back to where it was booked from. */
function unlocked({ id, amount, lock }: Escrow): Posting {
  const lines = transfer(account.escrow(id), source(lock!, id), amount)
  return { key: `lock-failed:${lockKey({ id, lock })}`, ref: { type: 'escrow', id }, lines, tvl: -amount }
}

/** A settled, or nearly settled, escrow never had a lock: its settlement is reversed first. A fee in the pool is a loss, a payout a debt. */
function lockLost(before: Escrow): Posting[] {
  const { status, settlement } = before
  const isSettled = status === 'released' || status === 'refunded'
  const isDue = settlement!.kind === 'release' && !settlement!.payoutLost
  return [...(isSettled ? [settlementReversed(before)] : []), unlocked(before), ...(isDue ? [...feeLost(before, 'lock lost'), debt(before)] : [])]
}

/** The chain made the lock whose loss was booked: its payout is due again, and its fee, where it was paid once, is that of a reversed payout. */
function lossReversed({ id, settlement }: Escrow, { lock }: Escrow): Posting[] {
  if (!settlement?.payoutLost) return []
  const ref = { type: 'escrow', id }
  const { fee, treasury, external, undone } = settlement
  const due = { key: `debt-reversed:${lockKey({ id, lock })}`, ref, lines: transfer(account.debt(id), account.loss, treasury + external) }
  if (undone === 0 || fee === 0n) return [due]
  return [due, { key: `fee-lost-reversed:${lockKey({ id, lock })}`, ref, lines: transfer(clearing(id), account.poolLoss, fee) }]
}

/** Of an escrow whose lock was lost and made again: what is booked then is another entry. */
const lateKey = ({ lock }: Pick<Escrow, 'lock'>): string => (lock?.lateSeq === undefined ? '' : `:${lock.lateSeq}`)

/** A fee that reached the pool although its escrow pays none in the end, or less: after its timeout the contract pays without one. */
function feeLost({ id, status, settlement, lock }: Escrow, paid: bigint | 'lock lost' = 0n): Posting[] {
  if (!settlement || (status !== 'released' && settlement.undone === 0)) return []
  const lost = settlement.fee - (paid === 'lock lost' ? 0n : paid)
  if (lost === 0n) return []
  // once for each time that the settlement was reversed: it may be paid with a fee again
  const key = `fee-lost:${id}:${paid === 'lock lost' ? `lock${lateKey({ lock })}` : settlement.undone}`
  const lines = lost > 0n ? transfer(account.poolLoss, clearing(id), lost) : transfer(clearing(id), account.poolLoss, -lost)
  return [{ key, ref: { type: 'escrow', id }, lines }]
}

/** What the payee should have had. */
function debt({ id, settlement, lock }: Escrow): Posting {
  const { treasury, external }: Pick<Settlement, 'treasury' | 'external'> = settlement ?? { treasury: 0n, external: 0n }
  return { key: `debt:${id}${lateKey({ lock })}`, ref: { type: 'escrow', id }, lines: transfer(account.loss, account.debt(id), treasury + external) }
}
