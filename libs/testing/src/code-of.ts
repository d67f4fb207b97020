import { type ErrorCode, Refusal } from '@carapace/api'

/** The code by which a rule refuses; 'none' where it does not. Any other error is thrown on. @example codeOf(() => submit(gig, 'stranger')) === 'NOT_ASSIGNEE' */
export function codeOf(work: () => unknown): ErrorCode | 'none' {
  try {
    work()
    return 'none'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}
