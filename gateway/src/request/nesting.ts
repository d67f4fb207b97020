import { limits } from '@carapace/api'

/** Around a body of the API: the message, its parameters, its parts and their data. */
const envelope = 8
const mostLevels = limits.body.depth + envelope

export const tooDeep = `A message is nested at most ${mostLevels} levels deep`

/** Whether what copies, stores or answers a message might not reach its innermost level. */
export const isTooDeep = (value: unknown, levels = mostLevels): boolean =>
  typeof value === 'object' && value !== null && (levels === 0 || Object.values(value).some(inner => isTooDeep(inner, levels - 1)))
