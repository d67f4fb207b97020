import { escrowApi } from '@carapace/api'
import { defineService } from '@carapace/service'
import { awaits } from './awaits.ts'
import { events } from './events.ts'
import { http } from './http.ts'
import { jobs } from './jobs.ts'
import { migrations } from './migrations.ts'
import { stores } from './parts.ts'
import { started } from './started.ts'
import { states } from './states.ts'

export const escrow = defineService({ api: escrowApi, states, stores, migrations, http, events, awaits, jobs, started })
