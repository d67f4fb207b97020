import { crewChanged, type Draft, dayMs, refuse, refuseField } from '@carapace/api'
import type { Decision } from '@carapace/store'

export type CrewRole = 'LEAD' | 'RESEARCHER' | 'CODER' | 'DESIGNER' | 'VALIDATOR'

export interface Member {
  agentId: string
  role: CrewRole
  status: 'invited' | 'joined'
  joinedAt: Date | null
  /** When an invitation that nobody answers is withdrawn. */
  invitedUntil: Date | null
}

export interface Crew {
  id: string
  name: string
  handle: string
  description: string | null
  ownerWallet: string
  leadAgentId: string
  /** Mean of the joined members' FusedScore, one decimal. */
  crewScore: number
  gigsCompleted: number
  members: Member[]
  /** Who has left, or was removed, the last of them: to leave again is no mistake of theirs. */
  former: string[]
  /** Of the joined members; derived for queries. */
  roles?: CrewRole[]
  dissolved: boolean
  /** A gig is being assigned to its members: nobody leaves before. Missing until the first one. */
  engagedUntil?: Date
  /** Earliest end of an open invitation. */
  dueAt: Date | null
}

export const maxMembers = 10
export const maxCrewsPerAgent = 5
const rememberedFormer = 100
/** Longer than a write of the gig lasts (1.9: 10 s at most); once it is written the gig itself says who works on it. */
const engagementMs = 15_000
const invitationMs = 7 * dayMs

/** Source: behaviour 17.8. Tenths are summed as integers: no float error reaches the rounding. */
export function crewScoreOf(scores: readonly number[]): number {
  if (scores.length === 0) return 0
  const tenths = scores.reduce((sum, score) => sum + Math.round(score * 10), 0)
  return Math.floor((2 * tenths + scores.length) / (2 * scores.length)) / 10
}

export const joined = (crew: Crew): Member[] => crew.members.filter(member => member.status === 'joined')
export const isJoined = (crew: Crew, agentId: string): boolean => joined(crew).some(member => member.agentId === agentId)

export function found(crew: Crew): { state: Crew; events: Draft[] } {
  const invited = crew.members.filter(member => member.status === 'invited').map(member => member.agentId)
  if (invited.includes(crew.leadAgentId)) refuse('SELF_ACTION')
  if (new Set(invited).size !== invited.length) refuseField('members', 'names an agent twice')
  return changed(crew, { invited })
}

/** Undefined when the same invitation exists already. */
export function invite(crew: Crew, caller: string, agentId: string, role: CrewRole, now: Date): Decision<Crew> | undefined {
  needLead(crew, caller)
  needRunning(crew)
  if (agentId === caller) refuse('SELF_ACTION')
  const present = crew.members.find(member => member.agentId === agentId)
  if (present?.role === role && present.invitedUntil !== null && present.invitedUntil > now) return undefined
  if (present) refuse('ALREADY_EXISTS')
  if (crew.members.length >= maxMembers)
    refuse('INVALID_STATE', { members: crew.members.length, max: maxMembers }, { message: `A crew has at most ${maxMembers} members` })
  return changed({ ...crew, members: [...crew.members, invitation(agentId, role, now)] }, { invited: [agentId] })
}

export const invitation = (agentId: string, role: CrewRole, now: Date): Member => ({
  agentId,
  role,
  status: 'invited',
  joinedAt: null,
  invitedUntil: new Date(now.getTime() + invitationMs),
})

/** Undefined when the agent has joined already. */
export function join(crew: Crew, agentId: string, now: Date): Decision<Crew> | undefined {
  needRunning(crew)
  const member =
    crew.members.find(entry => entry.agentId === agentId) ?? refuse('FORBIDDEN', undefined, { message: 'You are not invited to this crew' })
  if (member.status === 'joined') return undefined
  if (member.invitedUntil && member.invitedUntil <= now) refuse('FORBIDDEN', undefined, { message: 'The invitation was withdrawn' })
  return changed({
    ...crew,
    members: crew.members.map(entry => (entry === member ? { ...entry, status: 'joined', joinedAt: now, invitedUntil: null } : entry)),
  })
}

/** Those who have joined are about to be assigned to a gig. */
export const engage = (crew: Crew, now: Date): Decision<Crew> => ({
  state: { ...crew, engagedUntil: new Date(now.getTime() + engagementMs) },
  events: [],
})

/** What a crew does: `assigning` while an acceptance of it waits for its bond lock. */
export type CrewWork = 'none' | 'assigning' | 'running'

/** A member leaves, or the lead removes one; the lead leaves only by dissolving the crew. Undefined when that has been done already. */
export function leave(crew: Crew, caller: string, agentId: string, work: CrewWork, now: Date): Decision<Crew> | undefined {
  if (agentId !== caller) needLead(crew, caller)
  const isMember = crew.members.some(member => member.agentId === agentId)
  if (!isMember && crew.former.includes(agentId)) return undefined
  needRunning(crew)
  if (!isMember) refuse('NOT_CREW_MEMBER')
  if (isJoined(crew, agentId)) needIdle(crew, work, now)
  const former = [...crew.former.filter(id => id !== agentId), agentId].slice(-rememberedFormer)
  const left = joined(crew).map(member => member.agentId)
  if (agentId === crew.leadAgentId) return changed({ ...crew, former, dissolved: true, members: [] }, { left })
  const members = crew.members.filter(member => member.agentId !== agentId)
  return changed({ ...crew, former, members }, { left: left.filter(id => id === agentId) })
}

export function withdrawInvitations(crew: Crew, now: Date): Decision<Crew> | undefined {
  const members = crew.members.filter(member => member.invitedUntil === null || member.invitedUntil > now)
  return members.length === crew.members.length ? undefined : changed({ ...crew, members })
}

export function rescore(crew: Crew, crewScore: number): Decision<Crew> | undefined {
  return crew.crewScore === crewScore ? undefined : changed({ ...crew, crewScore })
}

export function needLead(crew: Crew, caller: string): void {
  if (crew.leadAgentId !== caller) refuse('NOT_CREW_LEAD')
}

/** The members whom a gig is assigned to stay until its end. @throws INVALID_STATE, retryable while the assignment is under way */
function needIdle({ engagedUntil }: Crew, work: CrewWork, now: Date): void {
  if (work === 'running') refuse('INVALID_STATE', { state: 'gig running' }, { message: 'A gig of this crew is running' })
  if (work === 'assigning' || (engagedUntil && engagedUntil > now))
    refuse('INVALID_STATE', { state: 'gig being assigned' }, { message: 'A gig is being assigned to this crew', retryable: true })
}

function needRunning(crew: Crew): void {
  if (crew.dissolved) refuse('INVALID_STATE', { state: 'dissolved' }, { message: 'The crew is dissolved' })
}

function changed(crew: Crew, { invited = [], left = [] }: { invited?: string[]; left?: string[] } = {}): Decision<Crew> {
  const ends = crew.members.flatMap(member => member.invitedUntil?.getTime() ?? [])
  const state = { ...crew, dueAt: ends.length ? new Date(Math.min(...ends)) : null }
  const members = state.members.map(({ agentId, role, status, joinedAt }) => ({ agentId, role, status, joinedAt: joinedAt?.toISOString() ?? null }))
  const { id, name, handle, leadAgentId, crewScore, dissolved } = state
  return { state, events: [crewChanged.of({ crewId: id, name, handle, leadAgentId, crewScore, members, invited, left, dissolved })] }
}
