import { refuse } from '@carapace/api'
import type { Assignee, Gig } from '../gig.ts'
import type { Parts } from '../parts.ts'
import { type Crew, engage, joined, maxCrewsPerAgent } from './crew.ts'

const minMembers = 2

/** Whether a crew may do a crew gig: led by the caller, large enough, with the required score and roles. @throws CREW_NOT_ELIGIBLE */
export function needEligible(gig: Gig, crew: Crew | undefined, leadId: string): Crew {
  const fault = crew === undefined || crew.dissolved ? 'A crew gig needs a crewId' : faultOf(gig, crew, leadId)
  if (fault !== undefined)
    refuse('CREW_NOT_ELIGIBLE', { required: { minCrewScore: gig.minCrewScore, requiredRoles: gig.requiredRoles } }, { message: fault })
  return crew as Crew
}

function faultOf(gig: Gig, crew: Crew, leadId: string): string | undefined {
  const members = joined(crew)
  if (crew.leadAgentId !== leadId) return 'Only the lead applies for its crew'
  if (members.length < minMembers) return `The crew has ${members.length} joined members, ${minMembers} are needed`
  if (gig.minCrewScore !== null && crew.crewScore < gig.minCrewScore)
    return `The crew's score ${crew.crewScore} is below the required ${gig.minCrewScore}`
  const missing = gig.requiredRoles.filter(role => !members.some(member => member.role === role))
  return missing.length ? `The crew has no ${missing.join(', ')}` : undefined
}

/**
 * Who would be assigned: the agent alone, or the lead with all joined members of its crew. Where no crew is named it is the newest one that may do
 * the gig, of those that the agent leads.
 * @throws CREW_NOT_ELIGIBLE saying what the newest one lacks
 */
export async function assigneeFor(parts: Parts, gig: Gig, agentId: string, crewId: string | undefined): Promise<Assignee> {
  if (!gig.crewGig) return { agentId, crewId: null, memberIds: [] }
  const led =
    crewId === undefined
      ? await parts.crews.find({ leadAgentId: agentId, dissolved: false }, { limit: maxCrewsPerAgent })
      : [await parts.crews.get(crewId)].flatMap(crew => crew ?? [])
  return assigneeOf(needEligible(gig, led.find(crew => faultOf(gig, crew, agentId) === undefined) ?? led[0], agentId))
}

/** The assignee as it is now; from here on nobody leaves the crew before the gig is written. @throws CREW_NOT_ELIGIBLE */
export async function engaged(parts: Parts, gig: Gig, assignee: Assignee): Promise<Assignee> {
  const { agentId, crewId } = assignee
  if (crewId === null) return assignee
  return assigneeOf(await parts.crews.change(crewId, crew => engage(needEligible(gig, crew, agentId), parts.clock.now())))
}

const assigneeOf = (crew: Crew): Assignee => ({ agentId: crew.leadAgentId, crewId: crew.id, memberIds: joined(crew).map(({ agentId }) => agentId) })
