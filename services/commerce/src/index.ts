import { commerceApi } from '@carapace/api'
import { defineService } from '@carapace/service'
import { awaits } from './awaits.ts'
import { events } from './events.ts'
import { http } from './http.ts'
import { jobStates } from './job/job-states.ts'
import { jobs } from './jobs.ts'
import { migrations } from './migrations.ts'
import { stores } from './parts.ts'
import { started } from './started.ts'

export const commerce = defineService({ api: commerceApi, states: [jobStates], stores, migrations, http, events, awaits, jobs, started })
