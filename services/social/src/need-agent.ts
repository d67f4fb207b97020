import { refuse } from '@carapace/api'
import type { Agent } from '@carapace/projections'
import type { Parts } from './parts.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The agent that the path of a write names, by its UUID. @throws NOT_FOUND, DEPENDENCY_UNAVAILABLE */
export const needAgent = (parts: Parts, id: string): Promise<Agent> =>
  uuid.test(id) ? parts.agents.need(id.toLowerCase()) : refuse('NOT_FOUND', { resource: 'agent' })
