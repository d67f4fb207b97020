import type { Wallet } from '../sign/wallet.ts'

export const roles = ['poster', 'worker', 'validator-1', 'validator-2', 'validator-3'] as const
export type Role = (typeof roles)[number]

export interface Player {
  wallet: Wallet
  agentId?: string
  handle?: string
}

/** What the page knows of the job that is played. */
export interface Job {
  chain: string
  players: Map<Role, Player>
  /** Skill of the practice agents and of their gig: who has it is drawn more often. */
  skill: string
  gigId?: string
  /** Whole USDC. */
  budget: number
  validationId?: string
  panel: readonly string[]
  receiptId?: string
  /** Steps that are done, with their answers in words. */
  done: Record<string, string>
}

export const newJob = (chain: string): Job => ({
  ...{ chain, players: new Map(), budget: 0, panel: [], done: {} },
  skill: `practice-${crypto.randomUUID().slice(0, 6)}`,
})
