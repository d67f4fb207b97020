import { refuse, refuseField } from '@carapace/api'
import { orExisting, type Stored } from '@carapace/store'
import { account } from '../ledger/accounts.ts'
import type { Parts } from '../parts.ts'
import { holdFunds, isShort } from './hold-funds.ts'
import type { Reservation } from './reservation.ts'

type Wish = Pick<Reservation, 'owner' | 'key' | 'round' | 'agentId' | 'amount' | 'chain' | 'purpose'>

/**
 * Sets custodial money aside for another service's command; the same round of the same command gets the same reservation.
 * @throws NO_TREASURY_WALLET, DAILY_LIMIT_REACHED, INSUFFICIENT_BALANCE; IDEMPOTENCY_KEY_REUSED when the round was reserved on other terms;
 * CONFLICT when an earlier round still holds what this one needs: its end is not known yet
 */
export async function reserveFunds(parts: Parts, wish: Wish): Promise<{ made: Stored<Reservation>; isNew: boolean }> {
  const { owner, key, round, agentId, amount, chain } = wish
  if (amount <= 0n) refuseField('amount', 'must be above 0')
  const same = (found: Stored<Reservation>) =>
    found.agentId === agentId && found.amount === amount && found.chain === chain && found.owner === owner ? found : refuse('IDEMPOTENCY_KEY_REUSED')
  const existing = await parts.reservations.of(key, round)
  if (existing) return { made: same(existing), isNew: false }
  const { address } = (await parts.wallets.of(agentId)) ?? refuse('NO_TREASURY_WALLET')
  const draft = { ...wish, id: parts.newId(), address, contra: account.clearing(key) }
  const line = { status: 'processing' as const, counterpartyId: null, gigId: gigOf(key), description: wish.purpose }
  const holding = holdFunds(parts, draft, line).catch((error: unknown) => judge(parts, wish, error))
  const made = await orExisting(holding, () => parts.reservations.of(key, round))
  return { made: same(made), isNew: made.id === draft.id }
}

/** The gig of a command about a gig's escrow. */
const gigOf = (key: string): string | null => (key.startsWith('escrow.lock:') ? key.slice('escrow.lock:'.length) : null)

async function judge({ reservations }: Parts, { key, round }: Wish, error: unknown): Promise<never> {
  const earlier = isShort(error) ? await reservations.upTo(key, round - 1) : undefined
  if (earlier?.status === 'held') refuse('CONFLICT', { key, round: earlier.round }, { message: 'An earlier round still holds the money' })
  throw error
}
