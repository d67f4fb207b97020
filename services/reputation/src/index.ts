import { reputationApi } from '@carapace/api'
import { defineService, doctorHandlers } from '@carapace/service'
import { awaits } from './awaits.ts'
import { events } from './events.ts'
import { conductHandlers } from './http/conduct.ts'
import { scoreHandlers } from './http/scores.ts'
import { syncHandlers } from './http/sync.ts'
import { jobs } from './jobs.ts'
import { stores } from './parts.ts'

export const reputation = defineService({
  api: reputationApi,
  stores,
  http: parts => ({ ...scoreHandlers(parts), ...conductHandlers(parts), ...syncHandlers(parts), ...doctorHandlers(parts) }),
  events,
  awaits,
  jobs,
})
