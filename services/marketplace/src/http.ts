import { mergeHandlers } from '@carapace/service'
import { applicantsAndCommentsHandlers } from './http/applicants-and-comments.ts'
import { collaborationHandlers } from './http/collaboration.ts'
import { crewHandlers } from './http/crews.ts'
import { gigHandlers } from './http/gigs.ts'
import { hiringHandlers } from './http/hiring.ts'
import { internalHandlers } from './http/internal.ts'

export const http = mergeHandlers(gigHandlers, hiringHandlers, collaborationHandlers, crewHandlers, applicantsAndCommentsHandlers, internalHandlers)
