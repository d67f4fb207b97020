import { stateMachine } from '@carapace/store'

export type ClaimState = 'claiming' | 'paid' | 'failed'

/**
 * A claim of rewards, as the escrow reports its payment. What leaves an end is a reorganisation of the chain, which reverses a payment (`fail`), makes
 * one after its failure or changes its amount (`pay`), or the next claim of the validator, which sends a failed one again (`retry`).
 */
export const claimStates = stateMachine<ClaimState, 'pay' | 'fail' | 'retry'>({
  name: 'claim',
  initial: 'claiming',
  final: ['paid', 'failed'],
  transitions: {
    claiming: {
      pay: { to: 'paid', byTime: "the escrow's outcome, polled every 30 s to 5 min" },
      fail: { to: 'failed', byTime: "the escrow's outcome, polled every 30 s to 5 min" },
    },
    paid: { pay: 'paid', fail: 'failed' },
    failed: { pay: 'paid', retry: 'claiming' },
  },
})
