import { doctorHandlers, mergeHandlers, sagaHandlers } from '@carapace/service'
import { drawHandlers } from './http/draws.ts'
import { figureHandlers } from './http/figures.ts'
import { internalHandlers } from './http/internal.ts'
import { validationHandlers } from './http/validations.ts'

export const http = mergeHandlers(validationHandlers, drawHandlers, figureHandlers, internalHandlers, doctorHandlers, sagaHandlers)
