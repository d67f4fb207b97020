import type { escrowApi } from '@carapace/api'
import type { HandlersOf } from '@carapace/service'
import { escrowRow } from '../escrow/views.ts'
import type { Parts } from '../parts.ts'

type Handlers = HandlersOf<typeof escrowApi>

export const internalHandlers = (parts: Parts): Pick<Handlers, 'getEscrowRow'> => ({
  getEscrowRow: async ({ params }) => escrowRow(await parts.escrows.need(params.gigId)),
})
