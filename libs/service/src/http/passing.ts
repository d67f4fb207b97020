import { Refusal } from '@carapace/api'
import { asRefusal } from './reply.ts'

/**
 * Past the first durable step of an operation, an error of a passing cause (a service, the database or a race) does not end it: a job carries it on.
 * Undefined then; the caller is answered 202 with a status URL, and not a refusal of what is carried out later. @throws every other error
 */
export function unlessPassing<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (asRefusal(error).isRetryable) return undefined
    throw error
  })
}

/** A part of an answer that may be missing: undefined where it is refused, so that the rest is answered. @throws every other error */
export function unlessRefused<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof Refusal) return undefined
    throw error
  })
}
