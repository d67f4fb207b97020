import { swarmApi } from '@carapace/api'
import { defineService, doctorHandlers } from '@carapace/service'
import { awaits } from './awaits.ts'
import { events } from './events.ts'
import { figureHandlers } from './http/figures.ts'
import { internalHandlers } from './http/internal.ts'
import { validationHandlers } from './http/validations.ts'
import { jobs } from './jobs.ts'
import { stores } from './parts.ts'

export { validationStates } from './validation-states.ts'

export const swarm = defineService({
  api: swarmApi,
  stores,
  http: parts => ({ ...validationHandlers(parts), ...figureHandlers(parts), ...internalHandlers(parts), ...doctorHandlers(parts) }),
  events,
  awaits,
  jobs,
})
