import type { Agent } from '@carapace/projections'
import type { Parts } from './parts.ts'

/** The agent that the path of a write names, by its UUID. @throws NOT_FOUND, DEPENDENCY_UNAVAILABLE */
export const needAgent = (parts: Parts, id: string): Promise<Agent> => parts.agents.needById(id)
