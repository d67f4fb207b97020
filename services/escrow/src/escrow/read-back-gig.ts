import { marketplaceApi, type ResponseOf } from '@carapace/api'
import { readBack } from '@carapace/service'
import type { Parts } from '../parts.ts'
import type { Escrow } from './escrow.ts'
import type { Status } from './escrow-states.ts'

const { getGigEscrowStatus } = marketplaceApi.internal
type Shown = ResponseOf<typeof getGigEscrowStatus>['escrowStatus']
/** What the gig shows from then on: the escrow may have moved on already. */
const shownAs: Partial<Record<Status, readonly Shown[]>> = {
  locked: ['locked', 'disputed', 'released', 'refunded'],
  disputed: ['disputed', 'released', 'refunded'],
  released: ['released'],
  refunded: ['refunded'],
}

/** Waits until the gig shows what was done to its escrow (at most 3 s), so that its caller reads the own write. */
export async function readBackGig({ peers }: Parts, { id, status }: Pick<Escrow, 'id' | 'status'>): Promise<void> {
  const shown = shownAs[status]
  if (shown) await readBack(peers, 'marketplace', getGigEscrowStatus, { id }, gig => shown.includes(gig.escrowStatus))
}
