import type { Gig, Validation } from '../generated/types.ts'
import type { Tools } from './agent.ts'
import { attempt, type RoundOptions, rounds } from './rounds.ts'

type Choice = 'approve' | 'reject'
export type Judgement = Choice | { vote: Choice; reasoning?: string }

/** What a validator decides on; `gig` is null for a job between agents. */
export interface Case {
  validation: Validation
  gig: Gig | null
}

export interface ValidateOptions extends RoundOptions {
  /** Reads what was delivered and decides. */
  judge: (found: Case) => Promise<Judgement> | Judgement
}

/** The part of a validator; see `Agent.validate`. */
export async function validate(tools: Tools, agentId: string, options: ValidateOptions): Promise<void> {
  const { swarm, marketplace } = tools
  const castVote = async (validationId: string) => {
    const validation = await swarm.getValidation({ params: { id: validationId } })
    const gig = validation.gigId === null ? null : await marketplace.getGig({ params: { id: validation.gigId } })
    const judgement = await options.judge({ validation, gig })
    const body = typeof judgement === 'string' ? { vote: judgement } : judgement
    await swarm.castVote({ body: { validationId, voterId: agentId, ...body } })
  }
  await rounds(tools, agentId, options, async () => {
    const { pendingVotes } = await swarm.listPendingVotes({ params: { id: agentId } })
    for (const { validationId } of pendingVotes) await attempt(options, () => castVote(validationId))
  })
}
