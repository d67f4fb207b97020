import { mergeHandlers } from '@carapace/service'
import { internalHandlers } from './http/internal.ts'
import { jobHandlers } from './http/jobs.ts'
import { readHandlers } from './http/reads.ts'
import { receiptHandlers } from './http/receipts.ts'

export const http = mergeHandlers(jobHandlers, readHandlers, receiptHandlers, internalHandlers)
