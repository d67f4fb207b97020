import type { Ledger } from '@carapace/store'

/**
 * What is wrong with accounts that hold the money of one open record each, and nothing else ever.
 * @param what names the records, and is the prefix of their accounts
 * @example accountFaults(ledger, 'escrow', await escrows.find({ status: 'locked' }))
 */
export async function accountFaults(ledger: Pick<Ledger, 'open'>, what: string, open: readonly { id: string; amount: bigint }[]): Promise<string[]> {
  const booked = new Map((await ledger.open(`${what}:`)).all())
  const faults = open.flatMap(({ id, amount }) => {
    const name = `${what}:${id}`
    const balance = booked.get(name) ?? 0n
    booked.delete(name)
    return balance === amount ? [] : [`${what} ${id} should hold ${amount}, its account holds ${balance}`]
  })
  return [...faults, ...[...booked].map(([name, balance]) => `${name} holds ${balance} although no ${what} is open`)]
}
