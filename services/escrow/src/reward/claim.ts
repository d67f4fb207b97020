import type { Chain } from '@carapace/api'

export type ClaimStatus = 'claiming' | 'claimed' | 'failed'

/** A payment of rewards to a validator. */
export interface Claim {
  id: string
  /** Of its command, and of the swarm's request. */
  round: number
  /** Number of the last outcome that was followed. */
  seq: number
  validatorId: string
  wallet: string
  chain: Chain
  amount: bigint
  rewards: { validationId: string; amount: bigint }[]
  status: ClaimStatus
  txHash: string | null
}

/** What the relayer says about a round of the payment. */
export type Outcome = { round: number; seq: number } & ({ is: 'confirmed'; txHash: string } | { is: 'failed'; code: string })

export const steps = {
  pay: { from: 'claiming', to: 'claimed' },
  back: { from: 'claiming', to: 'failed' },
  /** A reorganisation took the block away and the payment then failed for good. */
  undo: { from: 'claimed', to: 'failed' },
  /** The same payment in another block. */
  remine: { from: 'claimed', to: 'claimed' },
} as const satisfies Record<string, { from: ClaimStatus; to: ClaimStatus }>
export type Step = keyof typeof steps

/** The step that an outcome means; undefined when it is about another round, repeated, or older than one that was followed. */
export function stepFor({ status, round, seq }: Pick<Claim, 'status' | 'round' | 'seq'>, outcome: Outcome): Step | undefined {
  if (outcome.round !== round || outcome.seq <= seq || status === 'failed') return undefined
  if (status === 'claiming') return outcome.is === 'confirmed' ? 'pay' : 'back'
  return outcome.is === 'confirmed' ? 'remine' : 'undo'
}

export const take = (claim: Claim, step: Step, outcome: Outcome): Claim => ({
  ...claim,
  status: steps[step].to,
  seq: outcome.seq,
  txHash: outcome.is === 'confirmed' ? outcome.txHash : null,
})
