import type { Platform } from '@carapace/service'
import { alongPayment, alongReservation } from './alongside.ts'
import { budgetStore } from './budget/budget.store.ts'
import { historyStore } from './history.store.ts'
import type { TreasuryLedger } from './ledger/ledger.ts'
import { paymentStore } from './payment/payment.store.ts'
import { type ReservationStore, reservationStore } from './reservation/reservation.store.ts'
import type { WalletStore } from './wallet/wallet.store.ts'

/** Stores that change together: a reservation changes its payment, and a payment that leaves the queue its reservation. */
export function paymentStores({ db, clock, queue }: Platform, { ledger, wallets }: { ledger: TreasuryLedger; wallets: WalletStore }) {
  const budgets = budgetStore(db)
  const history = historyStore(db)
  const reservations: ReservationStore = reservationStore(db, {
    ledger,
    queue,
    alongside: (before, after, decision) => alongReservation({ budgets, wallets, history, payments, clock }, before, after, decision),
  })
  const payments = paymentStore(db, { queue, alongside: (before, after) => alongPayment({ reservations, history }, before, after) })
  return { budgets, history, reservations, payments }
}
