import { refuse, type treasuryApi, treasurySnapshot } from '@carapace/api'
import { type HandlersOf, reply } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { account } from '../accounts.ts'
import { holdFunds, orExisting } from '../hold.ts'
import { examine } from '../invariants.ts'
import type { Parts } from '../parts.ts'
import type { Reservation } from '../reservation.ts'
import { reservationView, walletRow } from '../views.ts'

type Handlers = HandlersOf<typeof treasuryApi>

export const internalHandlers = (
  parts: Parts,
): Pick<Handlers, 'getWalletRow' | 'reserveFunds' | 'getReservation' | 'announceWallets' | 'doctorReport'> => ({
  getWalletRow: async ({ params }) => walletRow((await parts.wallets.of(params.agentId)) ?? refuse('NOT_FOUND', { resource: 'wallet' })),

  reserveFunds: async ({ body }) => {
    const { key, round, agentId, owner, chain, purpose } = body
    const amount = BigInt(body.amount)
    if (amount <= 0n) refuse('VALIDATION_ERROR', undefined, { message: 'amount: must be above 0' })
    const same = (found: Stored<Reservation>) =>
      found.agentId === agentId && found.amount === amount && found.chain === chain && found.owner === owner
        ? found
        : refuse('IDEMPOTENCY_KEY_REUSED')
    const existing = await parts.reservations.of(key, round)
    if (existing) return reply(200, reservationView(same(existing)))
    const { address } = (await parts.wallets.of(agentId)) ?? refuse('NO_TREASURY_WALLET')
    const draft = { id: parts.newId(), owner, key, round, agentId, address, amount, chain, purpose, contra: account.clearing(key) }
    const line = { status: 'processing' as const, counterpartyId: null, gigId: gigOf(key), description: purpose }
    const made = await orExisting(holdFunds(parts, draft, line), () => parts.reservations.of(key, round))
    return reply(made.id === draft.id ? 201 : 200, reservationView(same(made)))
  },

  getReservation: async ({ params }) => reservationView(await parts.reservations.need(params.id)),

  announceWallets: async ({ body }) => {
    const found = await parts.wallets.find(body.after ? { _id: { $gt: body.after } } : {}, { sort: { _id: 1 }, limit: body.limit })
    await parts.emit(found.map(wallet => treasurySnapshot.of({ kind: 'wallet', id: wallet.id, version: wallet.version, row: walletRow(wallet) })))
    return reply(202, { announced: found.length, last: found.at(-1)?.id ?? null })
  },

  doctorReport: async () => ({ checks: await examine(parts) }),
})

/** The gig of a command about a gig's escrow. */
const gigOf = (key: string): string | null => (key.startsWith('escrow.lock:') ? key.slice('escrow.lock:'.length) : null)
