import { unlessPassing } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../../parts.ts'
import { advance } from '../advance.ts'
import { changeEscrowNow } from '../change-escrow.ts'
import type { Escrow } from '../escrow.ts'
import { knowsGig, readGig } from '../gig-row.ts'
import { needEscrow, refuseState } from './need-escrow.ts'

/** An admin's decision of a dispute, final like any other. */
export async function resolveDispute(
  parts: Parts,
  gigId: string,
  { wallet, release, reason }: { wallet: string; release: boolean; reason: string },
): Promise<Stored<Escrow>> {
  if (!knowsGig(await needEscrow(parts, gigId))) await unlessPassing(readGig(parts, gigId))
  return changeEscrowNow(parts, gigId, (escrow, moment) => {
    const { status, order, decision, panel, assignment } = escrow
    const isOpen = status === 'disputed' || (status === 'locked' && (panel?.oracleAssisted === true || decision?.outcome === 'hold'))
    if (!isOpen && order?.by === 'admin' && order.release === release && status !== 'funding') return undefined
    if (!isOpen) refuseState(status, ['disputed'], `The escrow is ${status} and not disputed`)
    if (release && !assignment) refuseState(status, ['disputed'], 'The gig has no assignee to pay')
    return advance({ ...escrow, order: { release, by: 'admin', wallet, reason, at: moment.now } }, moment)
  })
}
