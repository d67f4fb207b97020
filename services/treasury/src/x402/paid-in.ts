import type { ChainLog } from '@carapace/api'
import { toChecksum } from '@carapace/chain'

interface Parties {
  payer: string
  payTo: string
}

/** What the USDC transfers of one transaction move from a payer to an address, µ. A payment may come in several of them. */
export const paidIn = (logs: readonly ChainLog[], { payer, payTo }: Parties): bigint =>
  logs
    .filter(
      ({ contract, event, args }) =>
        contract === 'USDC' &&
        event === 'Transfer' &&
        toChecksum(String(args.from)) === toChecksum(payer) &&
        toChecksum(String(args.to)) === toChecksum(payTo),
    )
    .reduce((sum, { args }) => sum + BigInt(String(args.value)), 0n)

/** Whether the transaction of these logs has moved a whole payment. */
export const covers = (logs: readonly ChainLog[], payment: Parties & { amount: bigint }): boolean => paidIn(logs, payment) >= payment.amount
