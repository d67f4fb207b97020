import { identityApi } from '@carapace/api'
import { defineService } from '@carapace/service'
import { awaits } from './awaits.ts'
import { events } from './events.ts'
import { http } from './http.ts'
import { jobs } from './jobs.ts'
import { migrationStates } from './migration/migration-states.ts'
import { stores } from './parts.ts'
import { ensurePlatformAgent as started } from './registration/register.ts'

export { issuerSource } from './credential/issuer.ts'

export const identity = defineService({ api: identityApi, states: [migrationStates], stores, http, events, awaits, jobs, started })
