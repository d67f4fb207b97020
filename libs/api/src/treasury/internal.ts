import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, id, microText, timestamp, uuid, walletOut } from '../core/fields.ts'
import { announceEndpoint } from '../core/snapshot.ts'

/** What other services store of a custodial wallet. */
export const walletRow = z.looseObject({ walletId: id, agentId: id, address: walletOut, chain, version: z.int() }).meta({ id: 'WalletRow' })
export type WalletRow = z.output<typeof walletRow>

export const getWalletRow = endpoint({
  method: 'get',
  path: '/internal/v1/wallets/by-agent/:agentId',
  caller: 'internal',
  summary: 'The custodial wallet of an agent; 404 when it has none',
  response: walletRow,
})

/** Nothing is reserved: what a reservation would find now. */
export const getSpendable = endpoint({
  method: 'get',
  path: '/internal/v1/wallets/by-agent/:agentId/spendable',
  caller: 'internal',
  summary: 'What an agent may spend of its custodial wallet on a network; null address when it has none',
  query: { chain },
  response: z
    .looseObject({
      address: walletOut.nullable(),
      available: microText,
      debt: microText.meta({ description: 'Nothing can be spent before it is covered' }),
      dailyLimit: microText,
      remaining: microText.meta({ description: 'Of the daily limit, over all networks' }),
      resetsAt: timestamp,
    })
    .meta({ id: 'Spendable' }),
})

const reservation = z
  .looseObject({
    reservationId: id,
    status: z.enum(['held', 'captured', 'voided']),
    agentId: id,
    address: walletOut,
    amount: microText,
    chain,
  })
  .meta({ id: 'Reservation' })

/** Idempotent by (key, round). Counts against the daily limit. Only the terminal event of that command ends it. */
export const reserveFunds = endpoint({
  method: 'post',
  path: '/internal/v1/reservations',
  caller: 'internal',
  summary: 'Set custodial money aside for a chain command',
  body: z.object({
    owner: z.enum(['escrow', 'commerce', 'domains']),
    key: z.string().min(1).max(200),
    round: z.int().min(1),
    agentId: uuid,
    amount: microText,
    chain,
    purpose: z.string().max(200),
  }),
  response: reservation,
  status: 201,
  also: [200],
  errors: ['NO_TREASURY_WALLET', 'INSUFFICIENT_BALANCE', 'DAILY_LIMIT_REACHED', 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'],
})

export const getReservation = endpoint({
  method: 'get',
  path: '/internal/v1/reservations/:id',
  caller: 'internal',
  summary: 'One reservation',
  response: reservation,
})

export const announceWallets = announceEndpoint(['wallet'])
