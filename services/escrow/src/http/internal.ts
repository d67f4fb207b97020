import { type escrowApi, escrowSnapshot, refuse } from '@carapace/api'
import { announceRows, doctorHandlers, type HandlersOf, reply } from '@carapace/service'
import { bondOf, changeBond } from '../bond/keep.ts'
import { lockFor, outcomeOf } from '../bond/operate.ts'
import { endLock } from '../bond/request.ts'
import { bondRow, slashView } from '../bond/views.ts'
import { escrowRow } from '../escrow/views.ts'
import { checks } from '../invariants.ts'
import type { Parts } from '../parts.ts'

type Handlers = HandlersOf<typeof escrowApi>

/** Shorter than the caller's own wait, so that it gets an answer and not a time-out. */
const lockWaitMs = 8_000

export const internalHandlers = (
  parts: Parts,
): Pick<
  Handlers,
  'getEscrowRow' | 'getBondRow' | 'getSlashRow' | 'lockBondForGig' | 'unlockBondForGig' | 'announceEscrowsAndBonds' | 'doctorReport'
> => ({
  getEscrowRow: async ({ params }) => {
    const escrow = await parts.escrows.need(params.gigId)
    return escrow.status === 'none' ? refuse('NOT_FOUND', { resource: 'escrow' }) : escrowRow(escrow)
  },

  getBondRow: async ({ params }) => bondRow(await bondOf(parts, params.agentId)),

  getSlashRow: async ({ params }) => slashView(await parts.slashes.need(params.id)),

  lockBondForGig: async ({ params, body }) => {
    const { gigId } = body
    const asked = await lockFor(parts, params.agentId, gigId, BigInt(body.amount))
    const { lockId } = asked.locks.find(lock => lock.gigId === gigId)!
    const ended = await outcomeOf(parts, params.agentId, lockId, lockWaitMs)
    const lock = (await parts.bonds.need(params.agentId)).locks.find(held => held.gigId === gigId)
    if (!lock) refuse('INVALID_STATE', { state: 'failed' }, { message: 'The bond lock failed on chain' })
    const answer = { amount: String(lock.amount), txHash: lock.txHash }
    return ended && lock.stage !== 'locking' ? { status: 'confirmed' as const, ...answer } : reply(202, { status: 'pending', ...answer })
  },

  unlockBondForGig: async ({ params }) => {
    const { agentId, gigId } = params
    const isHeld = (await parts.bonds.get(agentId))?.locks.some(lock => lock.gigId === gigId)
    if (!isHeld) return { status: 'none' as const }
    await changeBond(parts, agentId, bond => endLock(bond, gigId, parts.newId()))
    return reply(202, { status: 'pending' })
  },

  announceEscrowsAndBonds: ({ body }) =>
    body.kind === 'escrow'
      ? announceRows(parts, escrowSnapshot, body, parts.escrows, escrowRow, { status: { $ne: 'none' } })
      : announceRows(parts, escrowSnapshot, body, parts.bonds, bondRow),

  ...doctorHandlers(parts, checks),
})
