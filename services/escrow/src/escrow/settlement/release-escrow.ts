import { type AdminCaller, type AgentCaller, refuse } from '@carapace/api'
import { unlessPassing } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../../parts.ts'
import { advance } from '../advance.ts'
import { changeEscrowNow } from '../change-escrow.ts'
import type { Escrow } from '../escrow.ts'
import { escrowStates, type Status } from '../escrow-states.ts'
import { knowsGig, readGig } from '../gig-row.ts'
import { needEscrow, refuseState } from './need-escrow.ts'

/** What this waits for is on its way as an event of another service. */
function refuseFact(state: Status, message: string): never {
  return refuse('INVALID_STATE', { state, allowed: ['locked'] }, { message, ...(escrowStates.isFinal(state) ? {} : { retryable: true }) })
}

const beyondRelease: readonly Status[] = ['releasing', 'released']

/** Pays the assignee: by the oracle, or by the poster once the verdict is approved. What is released or under way stays as it is. */
export async function releaseEscrow(parts: Parts, gigId: string, caller: AgentCaller | AdminCaller): Promise<Stored<Escrow>> {
  const before = await needEscrow(parts, gigId)
  if (!knowsGig(before)) await unlessPassing(readGig(parts, gigId))
  const isPoster = caller.kind === 'agent'
  if (isPoster && before.posterId !== caller.agentId) refuse('NOT_POSTER')
  return changeEscrowNow(parts, gigId, (escrow, moment) => {
    const { status, assignment, delivery, verdict } = escrow
    if (isPoster && verdict?.result !== 'approved' && !beyondRelease.includes(status))
      refuse('FORBIDDEN', undefined, { message: 'The poster releases only after an approved verdict', ...(verdict ? {} : { retryable: true }) })
    if (beyondRelease.includes(status)) return undefined
    if (!assignment) refuseFact(status, 'The gig has no assignee')
    if (!delivery) refuseFact(status, 'Nothing was delivered')
    if (status !== 'locked') refuseState(status, ['locked'], `The escrow is ${status}`)
    const order = { release: true, by: 'oracle' as const, wallet: caller.wallet, reason: 'Released by the oracle', at: moment.now }
    return advance({ ...escrow, ...(isPoster ? { posterReleased: true } : { order }) }, moment)
  })
}
