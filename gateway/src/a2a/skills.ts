import type { Message } from '@a2a-js/sdk'
import { type A2aSkill, a2aSkills, identityApi, marketplaceApi, reputationApi } from '@carapace/api'
import type { Operation, Values } from '../inside/operation.ts'

interface Skill extends Operation {
  /** The field that a text after the name of the skill is for. */
  main: string | undefined
}

const bare = { names: {}, actor: undefined, main: undefined }

export const skills: Readonly<Record<A2aSkill, Skill>> = {
  find_agents: { ...bare, endpoint: identityApi.endpoints.discoverAgents, main: 'skills' },
  check_reputation: { ...bare, endpoint: reputationApi.endpoints.getReputation, names: { id: 'agent' }, main: 'agent' },
  post_gig: { ...bare, endpoint: marketplaceApi.endpoints.createGig },
  gig_status: { ...bare, endpoint: marketplaceApi.endpoints.getGig, names: { id: 'gigId' }, main: 'gigId' },
}

/** What a message wants. */
export interface Wanted {
  skill: A2aSkill
  input: Values
}

/**
 * Reads the skill that a message names, in a data part, in its metadata, or as the first word of its text; what follows is its input.
 * @param before the skill of the task that the message continues
 */
export function wantedBy({ parts, metadata }: Pick<Message, 'parts' | 'metadata'>, before?: A2aSkill): Wanted | undefined {
  const data: Values = Object.assign({}, ...parts.map(({ content }) => (content?.$case === 'data' && isObject(content.value) ? content.value : {})))
  const text = parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('\n')
  const { skill: named = metadata?.skill, input, ...fields } = data
  const given = isObject(input) ? input : fields
  if (isSkill(named)) return { skill: named, input: given }
  const [, word = '', rest = ''] = /^\s*([a-z_]+)\s*:?\s*([\s\S]*)$/.exec(text) ?? []
  if (isSkill(word)) return { skill: word, input: { ...given, ...inputIn(word, rest.trim()) } }
  const whole = objectIn(text)
  if (whole && isSkill(whole.skill)) return wantedBy({ parts: [dataPart(whole)], metadata: undefined })
  return before && { skill: before, input: { ...given, ...inputIn(before, text.trim()) } }
}

/** What answers a message that names no skill. */
export const usage = `Name a skill, as data {"skill": "…", …} or as the first word of the text: ${a2aSkills.map(({ id, examples }) => `${id} (${examples[0]})`).join('; ')}`

export const isSkill = (name: unknown): name is A2aSkill => typeof name === 'string' && Object.hasOwn(skills, name)

export const dataPart = (value: unknown) => ({
  content: { $case: 'data' as const, value },
  mediaType: 'application/json',
  filename: '',
  metadata: undefined,
})

function inputIn(skill: A2aSkill, rest: string): Values {
  const { main } = skills[skill]
  return objectIn(rest) ?? (main !== undefined && rest !== '' ? { [main]: rest } : {})
}

function objectIn(text: string): Values | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)
