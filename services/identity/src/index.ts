import { identityApi } from '@carapace/api'
import { defineService } from '@carapace/service'
import { awaits } from './awaits.ts'
import { events } from './events.ts'
import { adminHandlers } from './http/admin.ts'
import { challengeHandlers } from './http/challenges.ts'
import { credentialHandlers } from './http/credentials.ts'
import { discoveryHandlers } from './http/discovery.ts'
import { githubHandlers } from './http/github.ts'
import { heartbeatHandlers } from './http/heartbeats.ts'
import { internalHandlers } from './http/internal.ts'
import { migrationHandlers } from './http/migration.ts'
import { profileHandlers } from './http/profiles.ts'
import { registrationHandlers } from './http/registration.ts'
import { skillHandlers } from './http/skills.ts'
import { jobs } from './jobs.ts'
import { stores } from './parts.ts'
import { ensurePlatformAgent } from './register.ts'

export { migrationStates } from './migration/migration-states.ts'

export const identity = defineService({
  api: identityApi,
  stores,
  http: parts => ({
    ...credentialHandlers(parts),
    ...registrationHandlers(parts),
    ...profileHandlers(parts),
    ...discoveryHandlers(parts),
    ...heartbeatHandlers(parts),
    ...skillHandlers(parts),
    ...githubHandlers(parts),
    ...challengeHandlers(parts),
    ...migrationHandlers(parts),
    ...adminHandlers(parts),
    ...internalHandlers(parts),
  }),
  events,
  awaits,
  jobs,
  started: async parts => {
    await ensurePlatformAgent(parts)
    return undefined
  },
})
