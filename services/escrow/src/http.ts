import { mergeHandlers } from '@carapace/service'
import { bondHandlers, bondReadHandlers } from './http/bonds.ts'
import { escrowHandlers } from './http/escrows.ts'
import { internalHandlers } from './http/internal.ts'
import { receiptHandlers } from './http/receipts.ts'
import { rewardHandlers } from './http/rewards.ts'

export const http = mergeHandlers(escrowHandlers, bondHandlers, bondReadHandlers, receiptHandlers, rewardHandlers, internalHandlers)
