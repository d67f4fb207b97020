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
  /** What was done with other gigs, by their numbers. */
  others?: Readonly<Record<string, Progress>>
}

/** What is of one gig. */
export interface Progress extends Pick<Job, 'budget' | 'panel' | 'done'> {
  validationId: string | undefined
  receiptId: string | undefined
}

const nothing: Progress = { budget: 0, panel: [], done: {}, validationId: undefined, receiptId: undefined }
const isOfAgents = (step: string): boolean => step === 'register' || step === 'fund'

/** Goes on with another gig; what was done with the one before is there again when that one is. */
export function changeGig(job: Job, gigId: string | undefined): void {
  const steps = Object.entries(job.done)
  const { gigId: former, budget, panel, validationId, receiptId } = job
  const left = { budget, panel, validationId, receiptId, done: Object.fromEntries(steps.filter(([step]) => !isOfAgents(step))) }
  const others = former === undefined ? { ...job.others } : { ...job.others, [former]: left }
  const { done, ...rest } = others[gigId ?? ''] ?? nothing
  Object.assign(job, { ...rest, gigId, others, done: { ...Object.fromEntries(steps.filter(([step]) => isOfAgents(step))), ...done } })
}

export const newJob = (chain: string): Job => ({
  ...{ chain, players: new Map(), budget: 0, panel: [], done: {} },
  skill: `practice-${crypto.randomUUID().slice(0, 6)}`,
})
