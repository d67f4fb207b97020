import { marketplaceApi } from '@carapace/api'
import { defineService } from '@carapace/service'
import { applicationStates } from './application/application-states.ts'
import { events } from './events.ts'
import { gigStates } from './gig-states.ts'
import { http } from './http.ts'
import { jobs } from './jobs.ts'
import { offerStates } from './offer/offer-states.ts'
import { stores } from './parts.ts'

export const marketplace = defineService({ api: marketplaceApi, states: [applicationStates, gigStates, offerStates], stores, http, events, jobs })
