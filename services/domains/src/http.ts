import { mergeHandlers } from '@carapace/service'
import { changeHandlers } from './http/changes.ts'
import { internalHandlers } from './http/internal.ts'
import { lookupHandlers } from './http/lookups.ts'
import { registrationHandlers } from './http/registration.ts'

export const http = mergeHandlers(registrationHandlers, changeHandlers, lookupHandlers, internalHandlers)
