import { stateMachine } from '@carapace/store'

export type ClaimState = 'claiming' | 'claimed' | 'failed'
export type ClaimTrigger = 'pay' | 'payLate' | 'correct' | 'fail' | 'repeatFailure' | 'reinclude' | 'reverse' | 'awaitLogs' | 'retry'

/**
 * A payment of rewards. `reverse`: a reorganisation of the chain dropped its block, and the payment then failed for good. `payLate`: the chain made it
 * after its failure. `correct`: another round has paid in its place, another amount. `awaitLogs`: it was found on chain without its logs, so that
 * nobody knows yet what it paid. `repeatFailure`: it failed again, which counts against an older outcome that arrives later.
 */
export const claimStates = stateMachine<ClaimState, ClaimTrigger>({
  name: 'claim',
  initial: 'claiming',
  final: ['claimed', 'failed'],
  transitions: {
    claiming: { pay: 'claimed', fail: { to: 'failed', byTime: 'the deadline of its command' } },
    claimed: { reinclude: 'claimed', correct: 'claimed', awaitLogs: 'claimed', reverse: 'failed' },
    failed: { retry: 'claiming', payLate: 'claimed', awaitLogs: 'failed', repeatFailure: 'failed' },
  },
})
