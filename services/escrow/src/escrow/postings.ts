import { account, type Posting, transfer } from '../ledger.ts'
import { type Escrow, holdsMoney, type Lock, type Settlement } from './escrow.ts'

const isHeld = ({ status }: Escrow): boolean => status === 'funding' || holdsMoney(status)
const source = ({ kind, from }: Lock, gigId: string): string =>
  kind === 'treasury' ? account.clearing(`escrow.lock:${gigId}`) : account.outside(from)
const clearing = (gigId: string): string => account.clearing(`escrow.settle:${gigId}`)
const target = ({ kind, from }: Lock, gigId: string): string => (kind === 'treasury' ? clearing(gigId) : account.outside(from))

/** What a change of an escrow means for the ledger: a pure function of the two states, so no transition can forget it. */
export function postings(before: Escrow, after: Escrow): Posting[] {
  if (before.status === after.status) return []
  if (after.status === 'unfunded' && before.settlement) return vanished(before)
  if (isHeld(before) === isHeld(after)) return []
  const { id, amount } = after
  const ref = { type: 'escrow', id }
  const own = account.escrow(id)
  if (isHeld(after)) {
    if (before.status === 'released' || before.status === 'refunded') return [undone(before)]
    const lock = after.lock!
    return [{ key: `lock:${id}:${lock.round}`, ref, lines: transfer(source(lock, id), own, amount), tvl: amount, capped: true }]
  }
  if (after.status === 'released' || after.status === 'refunded') return settled(before, after)
  return [unlocked(before)]
}

function settled(before: Escrow, after: Escrow): Posting[] {
  const { id, amount, settlement } = after
  const { txHash, payoutLost, undone: times } = settlement!
  const key = times > 0 ? `settle:${id}:${times}` : `settle:${id}`
  const paid: Posting = { key, ref: { type: 'escrow', id }, lines: paidOut(after), txHash, tvl: -amount }
  return payoutLost ? [paid, ...feeLost(before), debt(before)] : [paid, ...feeLost(before, settlement!.fee)]
}

/** A fee that was paid once and undone is still in the pool, or spent from there: the second payment fills the clearing account again. */
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
function undone(before: Escrow): Posting {
  const { id, amount, settlement } = before
  const lines = paidOut({ ...before, settlement: { ...settlement!, undone: 1 } }).map(({ account: name, debit, credit }) => ({
    account: name,
    debit: credit,
    credit: debit,
  }))
  return { key: `settle-undone:${id}:${settlement!.undone + 1}`, ref: { type: 'escrow', id }, lines, tvl: amount }
}

/** The lock failed: what stood against it goes back to where it was said to have come from. */
function unlocked({ id, amount, lock }: Escrow): Posting {
  const lines = transfer(account.escrow(id), source(lock!, id), amount)
  return { key: `lock-failed:${id}:${lock!.round}`, ref: { type: 'escrow', id }, lines, tvl: -amount }
}

/** A settled, or nearly settled, escrow never had a lock: its settlement is undone first. A fee in the pool is a loss, a payout a debt. */
function vanished(before: Escrow): Posting[] {
  const { status, settlement } = before
  const isSettled = status === 'released' || status === 'refunded'
  const isOwed = settlement!.kind === 'release' && !settlement!.payoutLost
  return [...(isSettled ? [undone(before)] : []), unlocked(before), ...(isOwed ? [...feeLost(before), debt(before)] : [])]
}

/** A fee that reached the pool although its escrow pays none in the end, or less: after its timeout the contract pays without one. */
function feeLost({ id, status, settlement }: Escrow, paid = 0n): Posting[] {
  if (!settlement || (status !== 'released' && settlement.undone === 0)) return []
  const lost = settlement.fee - paid
  return lost > 0n ? [{ key: `fee-lost:${id}`, ref: { type: 'escrow', id }, lines: transfer(account.poolLoss, clearing(id), lost) }] : []
}

/** What the payee should have had. */
function debt({ id, settlement }: Escrow): Posting {
  const { treasury, external }: Pick<Settlement, 'treasury' | 'external'> = settlement ?? { treasury: 0n, external: 0n }
  return { key: `debt:${id}`, ref: { type: 'escrow', id }, lines: transfer(account.loss, account.debt(id), treasury + external) }
}
