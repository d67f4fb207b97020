import { account, type Posting, transfer } from '../ledger.ts'
import { type Escrow, holdsMoney, type Lock } from './escrow.ts'

const isHeld = ({ status }: Escrow): boolean => status === 'funding' || holdsMoney(status)
const source = ({ kind, from }: Lock, gigId: string): string =>
  kind === 'treasury' ? account.clearing(`escrow.lock:${gigId}`) : account.outside(from)
const target = ({ kind, from }: Lock, gigId: string): string =>
  kind === 'treasury' ? account.clearing(`escrow.settle:${gigId}`) : account.outside(from)

/** What a change of an escrow means for the ledger: a pure function of the two states, so no transition can forget it. */
export function postings(before: Escrow, after: Escrow): Posting[] {
  const { id, amount } = after
  const ref = { type: 'escrow', id }
  const own = account.escrow(id)
  if (!isHeld(before) && isHeld(after)) {
    const lock = after.lock!
    return [{ key: `lock:${id}:${lock.round}`, ref, lines: transfer(source(lock, id), own, amount), tvl: amount }]
  }
  if (!isHeld(before) || isHeld(after)) return []
  const { status, settlement } = after
  if (status === 'released') {
    const { fee, treasury, external, txHash } = settlement!
    const lines = [
      ...(fee > 0n ? transfer(own, account.feePool, fee) : []),
      ...(treasury > 0n ? transfer(own, account.clearing(`escrow.settle:${id}`), treasury) : []),
      ...transfer(own, account.outside(after.lock!.payee), external),
    ]
    return [{ key: `settle:${id}`, ref, lines, txHash, tvl: -amount }]
  }
  if (status === 'refunded') {
    const { txHash, payoutLost } = settlement!
    const owed = before.settlement ? before.settlement.treasury + before.settlement.external : 0n
    return [
      { key: `settle:${id}`, ref, lines: transfer(own, target(after.lock!, id), amount), txHash, tvl: -amount },
      ...(payoutLost ? [{ key: `debt:${id}`, ref, lines: transfer(account.loss, account.debt(id), owed) }] : []),
    ]
  }
  const lock = before.lock!
  return [{ key: `lock-failed:${id}:${lock.round}`, ref, lines: transfer(own, source(lock, id), amount), tvl: -amount }]
}
