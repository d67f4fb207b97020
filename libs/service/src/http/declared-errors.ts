import { type AnyEndpoint, commonErrors, Refusal } from '@carapace/api'
import type { Handler } from '../define.ts'

/** The same handler; a refusal that its endpoint does not declare becomes a 500 that says so. For tests: documents and clients are derived from it. */
export function holdToErrors(endpoint: AnyEndpoint, handler: Handler<AnyEndpoint>): Handler<AnyEndpoint> {
  return async input => {
    try {
      return await handler(input)
    } catch (error) {
      if (!(error instanceof Refusal) || commonErrors.has(error.code) || endpoint.errors.includes(error.code)) throw error
      const message = `${endpoint.method} ${endpoint.path} refuses with ${error.code}, which it does not declare`
      throw new Refusal('INTERNAL_ERROR', { message })
    }
  }
}
