import { operationKey } from '@carapace/chain'
import { type LedgerEntry, transfer } from '@carapace/store'
import { account } from '../ledger.ts'
import type { Domain, Operation } from './domain.ts'

/** What the ledger books of a change: the price of a name when its sale is in a block, and its reversal when the chain has dropped that for good. */
export function salePostings(before: Domain | undefined, after: Domain): LedgerEntry[] {
  return after.operations.flatMap(operation => {
    const was = before?.operations.find(({ n }) => n === operation.n)?.sale?.isBooked ?? false
    return operation.sale === null || operation.sale.isBooked === was ? [] : [entryOf(after, operation, operation.sale)]
  })
}

function entryOf(
  { id, chain: present }: Domain,
  { n, onChain, chain = present }: Operation,
  { kind, payer, price, isBooked }: NonNullable<Operation['sale']>,
): LedgerEntry {
  const source = kind === 'treasury' || kind === 'x402' ? account.clearing(operationKey('domain.mint', id, n)) : account.outside(payer)
  return {
    key: `domain-sale${isBooked ? '' : '-reversed'}:${id}:${n}:${onChain!.seq}`,
    chain,
    lines: isBooked ? transfer(source, account.income, price) : transfer(account.income, source, price),
    ref: { type: 'domain', id },
    txHash: onChain!.txHash,
  }
}
