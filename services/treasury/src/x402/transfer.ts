import { createHash } from 'node:crypto'
import { type Chain, hourMs } from '@carapace/api'
import { recordIdOf } from '@carapace/service'
import { type Decision, stateMachine } from '@carapace/store'

/**
 * - waiting: a payment may still claim it
 * - claimed: payments have claimed all of it
 * - returned: a payment sends what nobody claimed back to its payer
 * - unclaimed: nobody has claimed it, and its address has no key here: an operator sees it in a list
 * - dropped: the chain dropped it
 */
export type TransferState = 'waiting' | 'claimed' | 'returned' | 'unclaimed' | 'dropped'
type Trigger = 'claim' | 'giveBack' | 'list' | 'drop' | 'include'

/** What one payer's transfers to one address in one transaction are named by. Addresses are EIP-55. */
export interface SentBy {
  chain: Chain
  txHash: string
  payer: string
  payTo: string
}

/** Money that came to an address of x402 from outside, and was not claimed when it was final. */
export interface X402Transfer extends SentBy {
  id: string
  state: TransferState
  /** What no payment has claimed, µ. */
  amount: bigint
  /** When the wait for a claim is over; null = it is. */
  dueAt: Date | null
}

/** So long a transfer waits for a payment that claims it, by the platform clock. */
const claimMs = 48 * hourMs

export const transferStates = stateMachine<TransferState, Trigger>({
  name: 'x402 transfer',
  initial: 'waiting',
  final: ['claimed', 'returned', 'unclaimed', 'dropped'],
  transitions: {
    waiting: {
      claim: 'claimed',
      giveBack: { to: 'returned', byTime: '48 h after it was final, at the intake' },
      list: { to: 'unclaimed', byTime: '48 h after it was final, at another address' },
      drop: 'dropped',
    },
    claimed: { drop: 'dropped' },
    returned: { drop: 'dropped' },
    unclaimed: { drop: 'dropped' },
    dropped: { include: 'waiting' },
  },
})

export const transferIdOf = ({ chain, txHash, payer, payTo }: SentBy): string =>
  recordIdOf(createHash('sha256').update(`x402 transfer\n${chain}\n${txHash}\n${payer}\n${payTo}`).digest('hex'))

export const newTransfer = (sent: SentBy, amount: bigint, now: Date): Decision<X402Transfer> => ({
  state: { ...sent, id: transferIdOf(sent), state: 'waiting', amount, dueAt: new Date(now.getTime() + claimMs) },
  events: [],
})

/** Its wait is over. */
export const endTransfer = (transfer: X402Transfer, end: 'claim' | 'giveBack' | 'list', amount: bigint): Decision<X402Transfer> | undefined =>
  transfer.state === 'waiting'
    ? { state: { ...transfer, state: transferStates.move(transfer.state, end), amount, dueAt: null }, events: [] }
    : undefined

export const dropTransfer = (transfer: X402Transfer): Decision<X402Transfer> | undefined =>
  transfer.state === 'dropped' ? undefined : { state: { ...transfer, state: transferStates.move(transfer.state, 'drop'), dueAt: null }, events: [] }

/** Included again, it waits as a new one does. */
export const includeTransfer = (transfer: X402Transfer, now: Date): Decision<X402Transfer> | undefined =>
  transfer.state === 'dropped'
    ? {
        state: { ...transfer, state: transferStates.move(transfer.state, 'include'), dueAt: new Date(now.getTime() + claimMs) },
        events: [],
      }
    : undefined
