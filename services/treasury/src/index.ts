import { treasuryApi } from '@carapace/api'
import { defineService } from '@carapace/service'
import { awaits } from './awaits.ts'
import { events } from './events.ts'
import { http } from './http.ts'
import { jobs } from './jobs.ts'
import { stores } from './parts.ts'
import { states } from './states.ts'

export const treasury = defineService({ api: treasuryApi, states, stores, http, events, awaits, jobs })
