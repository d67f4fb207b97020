import { refuse, type treasuryApi, treasurySnapshot } from '@carapace/api'
import { type HandlersOf, reply } from '@carapace/service'
import { examine } from '../invariants.ts'
import type { Parts } from '../parts.ts'
import { reserve } from '../reserve.ts'
import { reservationView, walletRow } from '../views.ts'

type Handlers = HandlersOf<typeof treasuryApi>

export const internalHandlers = (
  parts: Parts,
): Pick<Handlers, 'getWalletRow' | 'reserveFunds' | 'getReservation' | 'announceWallets' | 'doctorReport'> => ({
  getWalletRow: async ({ params }) => walletRow((await parts.wallets.of(params.agentId)) ?? refuse('NOT_FOUND', { resource: 'wallet' })),

  reserveFunds: async ({ body }) => {
    const { made, isNew } = await reserve(parts, { ...body, amount: BigInt(body.amount) })
    return reply(isNew ? 201 : 200, reservationView(made))
  },

  getReservation: async ({ params }) => reservationView(await parts.reservations.need(params.id)),

  announceWallets: async ({ body }) => {
    const found = await parts.wallets.find(body.after ? { _id: { $gt: body.after } } : {}, { sort: { _id: 1 }, limit: body.limit })
    await parts.emit(found.map(wallet => treasurySnapshot.of({ kind: 'wallet', id: wallet.id, version: wallet.version, row: walletRow(wallet) })))
    return reply(202, { announced: found.length, last: found.at(-1)?.id ?? null })
  },

  doctorReport: async () => ({ checks: await examine(parts) }),
})
