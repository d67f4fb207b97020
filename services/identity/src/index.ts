import { identityApi } from '@carapace/api'
import { defineService, type HandlersOf } from '@carapace/service'
import { events } from './events.ts'
import { discoveryHandlers } from './http/discovery.ts'
import { heartbeatHandlers } from './http/heartbeats.ts'
import { internalHandlers } from './http/internal.ts'
import { profileHandlers } from './http/profiles.ts'
import { registrationHandlers } from './http/registration.ts'
import { stores } from './parts.ts'
import { ensurePlatformAgent } from './register.ts'

export const identity = defineService({
  api: identityApi,
  stores,
  http: parts =>
    ({
      ...registrationHandlers(parts),
      ...profileHandlers(parts),
      ...discoveryHandlers(parts),
      ...heartbeatHandlers(parts),
      ...internalHandlers(parts),
    }) as HandlersOf<typeof identityApi>,
  events,
  started: async parts => {
    await ensurePlatformAgent(parts)
    return undefined
  },
})
