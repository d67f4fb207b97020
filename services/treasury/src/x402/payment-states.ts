import { stateMachine } from '@carapace/store'

/**
 * - claimed: its settlement was ordered
 * - settled: the money has arrived; until it is served, or set aside, it is a credit for what it was paid for
 * - served: the request that it paid for was answered
 * - failed: no money arrived, or the chain dropped it before it was served
 * - lost: served, and the chain dropped the payment later
 *
 * Of money at the intake alone:
 * - held: set aside for one round of the command that spends it
 * - spent: that command has spent it
 * - returning: on its way back to its payer
 * - returned: its payer has it again
 */
export type PaymentState = 'claimed' | 'settled' | 'served' | 'failed' | 'lost' | 'held' | 'spent' | 'returning' | 'returned'

type Trigger = 'settle' | 'serve' | 'fail' | 'hold' | 'spend' | 'free' | 'giveBack' | 'arrive' | 'reopen' | 'restore'

export const x402PaymentStates = stateMachine<PaymentState, Trigger>({
  name: 'x402 payment',
  initial: 'claimed',
  startsIn: { settled: 'a transfer that was sent and verified before' },
  final: ['settled', 'served', 'failed', 'lost', 'spent', 'returned'],
  transitions: {
    claimed: { settle: 'settled', fail: { to: 'failed', byTime: 'validBefore of the authorisation' } },
    settled: {
      settle: 'settled',
      serve: 'served',
      fail: 'failed',
      hold: 'held',
      giveBack: { to: 'returning', byTime: '24 h after it arrived at the intake' },
    },
    served: { settle: 'served', fail: 'lost' },
    failed: { settle: 'settled', serve: 'lost', restore: 'held', spend: 'spent', arrive: 'returned' },
    lost: { settle: 'served' },
    held: {
      settle: 'held',
      fail: 'failed',
      spend: { to: 'spent', byTime: 'the outcome of its command, polled every 30 s to 5 min' },
      giveBack: { to: 'returning', byTime: '2 min after its command failed, or was found to have never come' },
    },
    spent: { settle: 'spent', spend: 'spent', free: 'held', fail: 'failed' },
    returning: { settle: 'returning', fail: 'failed', arrive: { to: 'returned', byTime: 'retries within minutes' } },
    returned: { settle: 'returned', arrive: 'returned', reopen: 'returning' },
  },
})
