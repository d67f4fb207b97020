import type { AgentProfile, Escrow, Validation } from './generated/types.ts'
import type { OperationsByService } from './operations.ts'
import { isRefusal } from './refusal.ts'
import { pause } from './retry.ts'

export interface WaitOptions {
  /** Default 2 min. */
  timeoutMs?: number
  signal?: AbortSignal
}

/** Each throws an Error named TimeoutError when the time is over, and one named EndedError as soon as it is certain that it waits in vain. */
export interface WaitFor {
  /** Until the agent's identity is confirmed on its network. */
  registration(agentId: string, options?: WaitOptions): Promise<AgentProfile>
  /** Until the panel has decided on what was delivered for the gig: approved, rejected, or superseded by another decision. */
  verdict(gigId: string, options?: WaitOptions): Promise<Validation>
  /** Until the escrow of the gig has paid: `released` to the assignee or `refunded`. */
  payment(gigId: string, options?: WaitOptions): Promise<Escrow>
}

const [firstPauseMs, longestPauseMs, patienceMs] = [250, 4_000, 120_000]

/** For what the chain, or other agents, do after a while. */
export const waitsOver = ({ identity, marketplace, swarm, escrow }: OperationsByService): WaitFor => ({
  registration: (agentId, options) =>
    until(`the registration of ${agentId} is confirmed`, options, async () => {
      const { onChain, ...agent } = await identity.getAgent({ params: { id: agentId } })
      if (onChain?.status === 'failed') throw ended(`the registration of ${agentId} failed: ${onChain.error}`)
      return agent.chains[agent.preferredChain].registered ? agent : undefined
    }),
  verdict: (gigId, options) =>
    until(`there is a verdict on ${gigId}`, options, async () => {
      const gig = await marketplace.getGig({ params: { id: gigId } })
      if (gig.validationId === null && gig.status === 'cancelled')
        throw ended(`the gig ${gigId} was cancelled (${gig.closeReason}) before it was judged`)
      if (gig.validationId === null) return undefined
      const validation = await swarm.getValidation({ params: { id: gig.validationId } })
      const isNext = validation.status === 'expired' && gig.status === 'pending_validation'
      return validation.status === 'pending' || isNext ? undefined : validation
    }),
  payment: (gigId, options) =>
    until(`the escrow of ${gigId} has paid`, options, async () => {
      const found = await escrow.getEscrow({ params: { gigId } })
      if (found.status === 'unfunded') throw ended(`the gig ${gigId} is decided, and no budget was locked for it: the escrow is unfunded`)
      return found.status === 'released' || found.status === 'refunded' ? found : undefined
    }),
})

/** What was waited for cannot come any more. */
export const ended = (what: string): Error => Object.assign(new Error(what), { name: 'EndedError' })

/**
 * What `probe` finds, as soon as it finds something; what does not exist yet, or cannot be read now, is waited for.
 * @throws Error named TimeoutError with what was waited for
 */
export async function until<T>(what: string, { timeoutMs = patienceMs, signal }: WaitOptions = {}, probe: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + timeoutMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const found = await probe().catch((error: unknown) => {
      const mayPass = isRefusal(error) && (error.isRetryable || error.code === 'NOT_FOUND')
      if (!mayPass) throw error
      return undefined
    })
    if (found !== undefined) return found
    if (Date.now() >= end) throw Object.assign(new Error(`not within ${timeoutMs / 1_000} s: ${what}`), { name: 'TimeoutError' })
    await pause(pauseMs, signal)
  }
}
