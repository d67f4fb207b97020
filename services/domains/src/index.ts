import { domainsApi } from '@carapace/api'
import { defineService } from '@carapace/service'
import { awaits } from './awaits.ts'
import { domainStates } from './domain/states.ts'
import { events } from './events.ts'
import { http } from './http.ts'
import { jobs } from './jobs.ts'
import { stores } from './parts.ts'
import { started } from './started.ts'

export const domains = defineService({ api: domainsApi, states: [domainStates], stores, http, events, awaits, jobs, started })
