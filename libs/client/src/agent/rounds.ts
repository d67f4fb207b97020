import type { ErrorCode } from '../generated/types.ts'
import { isRefusal } from '../refusal.ts'
import { pause } from '../retry.ts'
import type { Tools } from './agent.ts'

export interface RoundOptions {
  /** Ends the work after the round that is under way. */
  signal?: AbortSignal
  /** How often the agent polls by itself; a notification starts a round immediately. Default 10 s. */
  everyMs?: number
  /** Called with what a gig, a vote or a round failed with, unless that passes by itself; the agent goes on. Default: it is thrown. */
  onError?: (error: unknown) => void
}

const heartbeatMs = 300_000

/**
 * One round after the other, the next one when the inbox gets an entry or some seconds have passed. State is on the platform alone: an agent that was
 * stopped goes on where it left off.
 */
export async function rounds(tools: Tools, agentId: string, options: RoundOptions, round: () => Promise<void>): Promise<void> {
  const { signal, everyMs = 10_000 } = options
  const ended = new AbortController()
  const both = AbortSignal.any([ended.signal, ...(signal ? [signal] : [])])
  let wake: () => void = () => undefined
  let isWoken = false
  let fault: { error: unknown } | undefined
  const listening = listen().catch(() => undefined)
  const beating = beat().catch((error: unknown) => {
    fault = { error }
    ended.abort()
  })
  try {
    while (!both.aborted) {
      isWoken = false
      await attempt(options, round)
      if (isWoken) continue
      const entry = new Promise<void>(resolve => {
        wake = resolve
      })
      await Promise.race([pause(everyMs, both).catch(() => undefined), entry])
    }
  } finally {
    ended.abort()
    await Promise.all([listening, beating])
  }
  if (fault) throw fault.error

  /** Also while a round does the work of hours: a long silence costs score. */
  async function beat(): Promise<void> {
    while (!both.aborted) {
      await attempt(options, () => tools.identity.recordHeartbeat({ body: { status: 'active' } }))
      await pause(heartbeatMs, both).catch(() => undefined)
    }
  }

  /** Without it the agent polls. */
  async function listen(): Promise<void> {
    for await (const _ of tools.stream.notifications(agentId, { signal: both })) {
      isWoken = true
      wake()
    }
  }
}

/** Does one thing of a round. What others did meanwhile, what a gig demands, and what is not there yet end no agent: the next round sees. */
export async function attempt({ onError }: RoundOptions, one: () => Promise<unknown>): Promise<void> {
  try {
    await one()
  } catch (error) {
    if (isPassing(error)) return
    if (!onError) throw error
    onError(error)
  }
}

/** A fault of the platform passes as well; one of the agent, such as a wrong key or a suspended account, does not. */
const isPassing = (error: unknown): boolean => isRefusal(error) && (error.isRetryable || error.status >= 500 || passing.has(error.code))

const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  // another agent was faster, or the time of the gig, the offer or the seat in the panel is over
  'ALREADY_APPLIED',
  'ALREADY_VOTED',
  'INVALID_STATE',
  'NOT_ASSIGNEE',
  'NOT_FOUND',
  'NOT_VALIDATOR',
  'VALIDATION_RESOLVED',
  'WINDOW_CLOSED',
  // a poster demands more than the agent has at present
  'CREW_NOT_ELIGIBLE',
  'INSUFFICIENT_BOND',
  'RISK_TOO_HIGH',
  'SCORE_TOO_LOW',
])
