import { marketplaceApi } from '@carapace/api'
import { defineService } from '@carapace/service'
import { events } from './events.ts'
import { collaborationHandlers } from './http/collaboration.ts'
import { crewHandlers } from './http/crews.ts'
import { gigHandlers } from './http/gigs.ts'
import { hiringHandlers } from './http/hiring.ts'
import { internalHandlers } from './http/internal.ts'
import { jobs } from './jobs.ts'
import { stores } from './parts.ts'

export { applicationStates } from './application-states.ts'
export { gigStates } from './gig-states.ts'
export { offerStates } from './offer-states.ts'

export const marketplace = defineService({
  api: marketplaceApi,
  stores,
  http: parts => ({
    ...gigHandlers(parts),
    ...hiringHandlers(parts),
    ...collaborationHandlers(parts),
    ...crewHandlers(parts),
    ...internalHandlers(parts),
  }),
  events,
  jobs,
})
