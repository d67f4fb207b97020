import { Refusal, type RuleCode, refuse } from '@carapace/api'

/** The index that a write collided with, or undefined when the error is another one. */
export function duplicateIndex(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 11000) return undefined
  return /index: (\S+)/.exec(error.message)?.[1] ?? '_id_'
}

/** Whether another write of the same document came first (112). */
export const isWriteConflict = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 112

/** Whether nothing was written for sure: after a lost connection or a time-out it may have been. */
export const isUnwritten = (error: unknown): boolean =>
  (error instanceof Refusal && error.code !== 'TIMEOUT') || duplicateIndex(error) !== undefined || isWriteConflict(error)

/** Converts a duplicate-key error into the refusal named for its index; any other error is thrown on. */
export function refuseDuplicate(error: unknown, codes: Readonly<Record<string, RuleCode>>): never {
  const index = duplicateIndex(error)
  const code = index === undefined ? undefined : codes[index]
  if (code) refuse(code)
  throw error
}
