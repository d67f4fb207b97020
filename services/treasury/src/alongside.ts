import type { Clock } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import type { BudgetStore } from './budget/budget.store.ts'
import { recountSpent, returnSpent } from './budget/budget.ts'
import type { History } from './history.store.ts'
import type { PaymentStore } from './payment/payment.store.ts'
import { confirm, fail, noteSubmission, type Payment } from './payment/payment.ts'
import type { ReservationStore } from './reservation/reservation.store.ts'
import { moveOf, type Outcome, type Reservation, type ReservationDecision, releaseReservation } from './reservation/reservation.ts'
import type { WalletStore } from './wallet/wallet.store.ts'

type Writes = ((session: ClientSession) => Promise<unknown>) | undefined

interface OfReservation {
  budgets: BudgetStore
  wallets: WalletStore
  history: History
  payments: PaymentStore
  clock: Clock
}

/** What changes with a reservation in its transaction: the limit of its day, and after an outcome the history and its payment. */
export function alongReservation(stores: OfReservation, before: Reservation | undefined, after: Reservation, decision?: ReservationDecision): Writes {
  if (!before) return undefined
  const { id, agentId, amount, day, owner, onChain } = after
  const { budgets, wallets, history, payments, clock } = stores
  const move = moveOf(before, after)
  const outcome = decision?.outcome
  if (!outcome && move === undefined) return undefined
  return async session => {
    if (move !== undefined && move !== 'capture') {
      const recount = move === 'late' ? recountSpent : returnSpent
      // always written: what causes a debt at the same moment writes it, too
      await budgets.change(agentId, budget => recount(budget, amount, day) ?? { state: budget, events: [] }, { session })
    }
    if (move === 'late') await guardDebt(wallets, agentId, session)
    if (!outcome) return
    if (owner === 'treasury') await payments.change(id, payment => paid(payment, outcome, onChain, clock.now()), { session })
    if (owner === 'treasury' || outcome.is !== 'submitted') await history.change(id, shown(outcome), session)
  }
}

/**
 * What is spent late may become a debt, and a deposit at the same moment must see that debt: both write the wallet. The accounts of the ledger do not
 * separate them, since a debt is booked on one of them and money that comes in on another.
 */
async function guardDebt(wallets: WalletStore, agentId: string, session: ClientSession): Promise<void> {
  const wallet = await wallets.of(agentId)
  if (wallet) await wallets.change(wallet.id, state => ({ state, events: [] }), { session })
}

function paid(payment: Payment, outcome: Outcome, onChain: Reservation['onChain'], now: Date) {
  if (outcome.is === 'submitted') return noteSubmission(payment, onChain)
  return outcome.is === 'confirmed' ? confirm(payment, onChain, now) : fail(payment, outcome.code, onChain)
}

function shown(outcome: Outcome): Parameters<History['change']>[1] {
  if (outcome.is === 'submitted') return { txHash: outcome.txHash }
  return outcome.is === 'confirmed' ? { status: 'executed', txHash: outcome.txHash, isFinal: false } : { status: 'failed' }
}

interface OfPayment {
  reservations: ReservationStore
  history: History
}

/** What changes with a payment that leaves the queue, in its transaction: one that ends unsent gives back what was held for it. */
export function alongPayment({ reservations, history }: OfPayment, before: Payment | undefined, { id, status }: Payment): Writes {
  if (before?.status !== 'pending' || status === 'pending') return undefined
  return async session => {
    if (status !== 'processing') await reservations.change(id, releaseReservation, { session })
    await history.change(id, { status }, session)
  }
}
