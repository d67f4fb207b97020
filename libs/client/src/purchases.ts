import type { Terms } from './offer.ts'

/** A signed payment. */
export interface Payment {
  terms: Terms
  header: string
  /** The platform answers it as before when it comes again. */
  isRepeatable: boolean
  isReported: boolean
}

/** What equal calls share. */
export interface Purchase {
  /** Equal for equal calls; undefined: of a call that cannot be compared. */
  readonly key: string | undefined
  /** Undefined until a call has been answered 402. */
  payment: Promise<Payment | undefined> | undefined
  /** Calls that go on. */
  running: number
  /** A call was answered for its payment. */
  isUsed: boolean
}

interface Purchases {
  /** What a call belongs to until it leaves. */
  enter(key: string | undefined): Purchase
  leave(purchase: Purchase): void
  /** Later calls pay for themselves; those that run now share it still. */
  end(purchase: Purchase): void
  /** In the place of one whose payment was refused: another call may have made it already. */
  renew(refused: Purchase): Purchase
}

/** So many purchases stay open for equal calls; the oldest used ones make room. Unanswered ones stay: their next calls would pay a second time. */
const mostOpen = 1_000

/** Purchases that are not over: their payments belong to the next equal calls. */
export function openPurchases(): Purchases {
  const open = new Map<string, Purchase>()
  const end = (purchase: Purchase) => {
    const { key } = purchase
    if (key !== undefined && open.get(key) === purchase) open.delete(key)
  }
  const makeRoom = () => {
    for (const [key, { payment, running, isUsed }] of open) {
      if (open.size < mostOpen) return
      if (running === 0 && (isUsed || payment === undefined)) open.delete(key)
    }
  }
  const newest = (key: string | undefined): Purchase => {
    const bought = key === undefined ? undefined : open.get(key)
    if (bought) return bought
    const made: Purchase = { key, payment: undefined, running: 0, isUsed: false }
    makeRoom()
    if (key !== undefined) open.set(key, made)
    return made
  }
  return {
    enter: key => {
      const purchase = newest(key)
      purchase.running++
      return purchase
    },
    leave: purchase => {
      purchase.running--
      if (purchase.running === 0 && purchase.payment === undefined) end(purchase)
    },
    end,
    renew: refused => newest(refused.key),
  }
}
