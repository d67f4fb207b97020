import { socialApi } from '@carapace/api'
import { defineService } from '@carapace/service'
import { events } from './events.ts'
import { http } from './http.ts'
import { jobs } from './jobs.ts'
import { stores } from './parts.ts'
import { states } from './states.ts'

export const social = defineService({ api: socialApi, states, stores, http, events, jobs })
