import { reputationApi } from '@carapace/api'
import { defineService } from '@carapace/service'
import { awaits } from './awaits.ts'
import { events } from './events.ts'
import { http } from './http.ts'
import { jobs } from './jobs.ts'
import { stores } from './parts.ts'

export const reputation = defineService({ api: reputationApi, stores, http, events, awaits, jobs })
