import type { Chain } from '@carapace/api'
import type { SlashState } from './slash-states.ts'

/** A slash as the public sees it. Amount in micro-USDC. */
export interface Slash {
  id: string
  agentId: string
  gigId: string | null
  gigTitle: string | null
  gigBudget: bigint | null
  chain: Chain
  validationId: string | null
  amount: bigint
  reason: string
  status: SlashState
  by: 'swarm' | 'oracle' | 'admin'
  scoreBefore: number | null
  txHash: string | null
  /** A command is under way. */
  isPending: boolean
}
