import { type HeldTx, isOpen, type Op, type TxState } from './records.ts'

/** The present records of a transaction and its operations, with fields that need not survive a crash. */
export interface Slot {
  /** Replaced by `Slots.replace` only. */
  readonly tx: HeldTx
  readonly nonce: number
  /** Replaced by `Slots.replaceOps` only. */
  readonly ops: ReadonlyMap<string, Op>
  /** Settles when everything stored about it so far is published. */
  saved: Promise<void>
  /** Monotonic ms, 0 = not yet. */
  lastSentAt: number
  /** Head number when the node last accepted it. */
  sentAtBlock: number
  /** State in the record. */
  storedAs: TxState
  /** Times in a row that the chain's count passed it without a receipt. */
  missing: number
  /** Monotonic ms of the first of them, 0 = none. */
  missingSince: number
  /** The lane could not afford its last attempt: an earlier one, with a lower fee, is sent as soon as blocks have room for it. */
  isTooDear: boolean
}

/** The lane's transactions that are not final, by nonce. */
export interface Slots {
  nextNonce: number
  readonly openCount: number
  add(tx: HeldTx, ops: ReadonlyMap<string, Op>): Slot
  /** The next record of the slot's transaction; nothing when the slot was dropped. */
  replace(slot: Slot, tx: HeldTx): void
  /** The next records of operations, of those that the slot has. */
  replaceOps(slot: Slot, ops: readonly Op[]): void
  byHash(hash: string): Slot | undefined
  get(nonce: number): Slot | undefined
  /** The transaction that holds an operation. */
  ofOp(opKey: string): Slot | undefined
  /** Unmined, lowest nonce first. */
  open(): Slot[]
  lowestOpen(): Slot | undefined
  /** Mined and not final, lowest nonce first. */
  mined(): Slot[]
  drop(slot: Slot): void
  clear(): void
}

interface HeldSlot extends Slot {
  tx: HeldTx
  ops: Map<string, Op>
}

export function slotTable(): Slots {
  const all = new Map<number, HeldSlot>()
  const open = new Map<number, Slot>()
  const mined = new Map<number, Slot>()
  const hashes = new Map<string, Slot>()
  const claims = new Map<string, Slot>()
  const byNonce = (map: Map<number, Slot>) => [...map.values()].sort((a, b) => a.nonce - b.nonce)

  const refresh = (slot: Slot) => {
    for (const attempt of slot.tx.attempts) hashes.set(attempt.hash, slot)
    for (const opKey of slot.ops.keys()) {
      if (slot.tx.liveOps?.includes(opKey)) claims.set(opKey, slot)
      else if (claims.get(opKey) === slot) claims.delete(opKey)
    }
    const isNowOpen = isOpen(slot.tx)
    if (isNowOpen === open.has(slot.nonce) && isNowOpen !== mined.has(slot.nonce)) return
    ;(isNowOpen ? open : mined).set(slot.nonce, slot)
    ;(isNowOpen ? mined : open).delete(slot.nonce)
  }
  const drop = (slot: Slot) => {
    for (const map of [all, open, mined]) map.delete(slot.nonce)
    for (const attempt of slot.tx.attempts) hashes.delete(attempt.hash)
    for (const opKey of slot.ops.keys()) if (claims.get(opKey) === slot) claims.delete(opKey)
  }

  return {
    nextNonce: 0,
    get openCount() {
      return open.size
    },
    add: (tx, ops) => {
      const slot: HeldSlot = {
        tx,
        nonce: tx.nonce,
        ops: new Map(ops),
        saved: Promise.resolve(),
        lastSentAt: 0,
        sentAtBlock: 0,
        storedAs: tx.state,
        missing: 0,
        missingSince: 0,
        isTooDear: false,
      }
      all.set(slot.nonce, slot)
      refresh(slot)
      return slot
    },
    replace: (slot, tx) => {
      const held = all.get(slot.nonce)
      if (held !== slot) return
      const { tx: before } = held
      held.tx = tx
      if (tx.attempts !== before.attempts || tx.liveOps !== before.liveOps || isOpen(tx) !== isOpen(before)) refresh(held)
    },
    replaceOps: (slot, ops) => {
      const held = all.get(slot.nonce)
      if (held === slot) for (const op of ops) if (held.ops.has(op._id)) held.ops.set(op._id, op)
    },
    byHash: hash => hashes.get(hash),
    get: nonce => all.get(nonce),
    ofOp: opKey => claims.get(opKey),
    open: () => byNonce(open),
    lowestOpen: () => {
      let lowest: Slot | undefined
      for (const slot of open.values()) if (!lowest || slot.nonce < lowest.nonce) lowest = slot
      return lowest
    },
    mined: () => byNonce(mined),
    drop,
    clear: () => {
      for (const map of [all, open, mined, hashes, claims]) map.clear()
    },
  }
}
