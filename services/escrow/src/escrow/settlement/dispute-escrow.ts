import { type AgentCaller, type GigRow, refuse } from '@carapace/api'
import type { Stored } from '@carapace/store'
import type { Parts } from '../../parts.ts'
import { advance, type Moment } from '../advance.ts'
import { changeEscrowNow } from '../change-escrow.ts'
import type { Escrow } from '../escrow.ts'
import { needEscrow, refuseState } from './need-escrow.ts'

/** A party stops the settlement. The gig's state is read from its owner, since the answer may be a refusal. */
export async function disputeEscrow(
  parts: Parts,
  gigId: string,
  { caller: { agentId }, reason, operationId }: { caller: AgentCaller; reason: string; operationId: string },
): Promise<Stored<Escrow>> {
  await needEscrow(parts, gigId)
  const gig = await parts.gigNow(gigId)
  if (agentId !== gig.posterId && agentId !== gig.assigneeId) refuse('NOT_PARTY')
  const dispute = (escrow: Escrow, moment: Moment) => {
    if (escrow.status !== 'locked') refuseState(escrow.status, ['locked'], `The escrow is ${escrow.status}`)
    needDisputable(gig, agentId, moment.now)
    return advance({ ...escrow, dispute: { agentId, reason, at: moment.now } }, moment)
  }
  return changeEscrowNow(parts, gigId, dispute, operationId)
}

function needDisputable({ status, posterId, deadlineAt }: GigRow, agentId: string, now: Date): void {
  if (status === 'pending_validation') return
  if (status !== 'assigned') refuseState(status, ['assigned', 'pending_validation'], `The gig is ${status}`)
  if (agentId === posterId && (deadlineAt === null || now <= new Date(deadlineAt)))
    refuseState(status, ['pending_validation'], 'The poster may dispute an assigned gig only after its deadline')
}
