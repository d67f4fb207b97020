/**
 * Who sees an event on the live stream (behaviour 11). `internal`: nobody, it is for services. Else everybody sees the fields `everyone`, without which
 * the event is private, and the agents that the fields `parties` name see all of it.
 */
export type Audience<Field extends string = string> = 'internal' | { readonly everyone?: readonly Field[]; readonly parties?: readonly Field[] }

/** What a payload gives away, and to whom. */
export interface Seen {
  /** What everybody may see; null: the event is private. */
  open: Record<string, unknown> | null
  /** What only its parties see besides. */
  closed: Record<string, unknown>
  /** Who sees all of it. */
  parties: string[]
  /** The agents that `open` names: everybody may filter by them. */
  agents: string[]
  /** The gig or job that it is about. */
  about: string[]
}

/** The fields of all payloads that name agents: one id, several, or none. */
export const agentFields = [
  'agentId',
  'posterId',
  'assigneeId',
  'formerAssigneeId',
  'memberIds',
  'applicantId',
  'applicantIds',
  'fromAgentId',
  'toAgentId',
  'leadAgentId',
  'invited',
  'authorId',
  'targetAgentId',
  'sourceAgentId',
  'followerAgentId',
  'followedAgentId',
  'reviewerId',
  'revieweeId',
  'voterId',
  'validatorId',
  'panel',
  'added',
  'removed',
  'winners',
  'disputedBy',
  'members',
  'rewards',
] as const

const subjectFields = ['gigId', 'jobId'] as const

/** The names of some fields, for an audience. @example { everyone: [...namesOf(gigFacts), 'status'] } */
export const namesOf = <F extends object>(fields: F): (keyof F & string)[] => Object.keys(fields) as (keyof F & string)[]

/**
 * Divides the payload of an event between everybody and its parties; what is not declared of it nobody sees.
 * @example seenOf({ audience: { everyone: ['gigId'] }, fields: ['gigId', 'note'] }, event.data)
 */
export function seenOf({ audience, fields }: { audience: Exclude<Audience, 'internal'>; fields: readonly string[] }, payload: Payload): Seen {
  const { everyone = [], parties = [] } = audience
  const pick = (names: readonly string[]) => Object.fromEntries(names.filter(name => name in payload).map(name => [name, payload[name]]))
  const open = pick(everyone)
  return {
    open: everyone.length > 0 ? open : null,
    closed: pick(fields.filter(name => !everyone.includes(name))),
    parties: idsIn(payload, parties),
    agents: idsIn(open, agentFields),
    about: idsIn(payload, subjectFields),
  }
}

type Payload = Record<string, unknown>

/** An id stands in the field itself, in a list, or in the records of a list. */
function idsIn(payload: Payload, fields: readonly string[]): string[] {
  const values = fields.flatMap(name => payload[name]).map(value => (isRecord(value) ? (value.agentId ?? value.validatorId) : value))
  return [...new Set(values.filter(value => typeof value === 'string'))]
}

const isRecord = (value: unknown): value is Payload => typeof value === 'object' && value !== null
