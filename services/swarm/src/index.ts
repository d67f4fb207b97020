import { swarmApi } from '@carapace/api'
import { defineService } from '@carapace/service'
import { awaits } from './awaits.ts'
import { events } from './events.ts'
import { http } from './http.ts'
import { jobs } from './jobs.ts'
import { stores } from './parts.ts'
import { claimStates } from './reward/claim-states.ts'
import { validationStates } from './validation/validation-states.ts'

export const swarm = defineService({ api: swarmApi, states: [validationStates, claimStates], stores, http, events, awaits, jobs })
