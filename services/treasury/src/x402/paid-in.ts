import type { ChainLog } from '@carapace/api'
import { toChecksum } from '@carapace/chain'
import type { X402Payment } from './payment.ts'

interface Parties {
  payer: string
  payTo: string
}

const isUsdc = ({ contract }: ChainLog): boolean => contract === 'USDC'
const same = (a: unknown, b: string): boolean => toChecksum(String(a)) === toChecksum(b)
const isBetween = ({ event, args }: ChainLog, { payer, payTo }: Parties): boolean =>
  event === 'Transfer' && same(args.from, payer) && same(args.to, payTo)

/** What the USDC transfers of one transaction move from a payer to an address, µ. A payment of the spec's dialect may come in several of them. */
export const paidIn = (logs: readonly ChainLog[], parties: Parties): bigint =>
  logs.filter(log => isUsdc(log) && isBetween(log, parties)).reduce((sum, { args }) => sum + BigInt(String(args.value)), 0n)

/**
 * Whether the transaction of these logs has moved a whole payment. One transaction may hold transfers of several payments, so an authorisation is
 * paid by its own transfer alone. A transfer that the payer sent itself proves one payment, which has all that it moved.
 */
export const covers = (logs: readonly ChainLog[], payment: Parties & Pick<X402Payment, 'scheme' | 'nonce' | 'amount'>): boolean =>
  payment.scheme === 'spec' ? paidIn(logs, payment) >= payment.amount : isAuthorized(logs, payment)

/**
 * Whether an authorisation has moved what its payer signed. The token logs the use of a nonce and directly after it the transfer of the same call;
 * the nonce alone proves nothing, because its payer may sign another transfer, of nothing or to somebody else, with the same one.
 */
function isAuthorized(logs: readonly ChainLog[], payment: Parties & Pick<X402Payment, 'nonce' | 'amount'>): boolean {
  const ofToken = logs.filter(isUsdc).toSorted((a, b) => a.logIndex - b.logIndex)
  const used = ofToken.findIndex(
    ({ event, args }) =>
      event === 'AuthorizationUsed' && same(args.authorizer, payment.payer) && String(args.nonce).toLowerCase() === payment.nonce.toLowerCase(),
  )
  const transfer = used < 0 ? undefined : ofToken[used + 1]
  return transfer !== undefined && isBetween(transfer, payment) && BigInt(String(transfer.args.value)) === payment.amount
}
