import { recordStep } from '../../lane/command-spans.ts'
import { assertLeading, type Lane } from '../../lane/lane.ts'
import { type Attempt, isOpen, lastAttempt } from '../../lane/records.ts'
import type { Slot } from '../../lane/slots.ts'
import { accept } from '../../lane/tx-writes.ts'
import { RpcUnavailable } from '../../rpc/rpc.ts'
import { replaceByNoop } from './replace.ts'
import { classifySend } from './send-error.ts'
import { isEnough } from './transaction.ts'

/** Sends signed bytes, lowest nonce first, one batch at a time. */
export interface Sender {
  enqueue(nonces: readonly number[]): void
  /** Sends until nothing waits or the node is away. @returns ms until it should be tried again, 0 = nothing waits */
  pass(lane: Lane): Promise<number>
  readonly waiting: number
}

const batchSize = 50

export function sender(): Sender {
  const waiting = new Set<number>()

  async function pass(lane: Lane): Promise<number> {
    while (waiting.size > 0) {
      assertLeading(lane)
      const slots = [...waiting]
        .sort((a, b) => a - b)
        .slice(0, batchSize)
        .flatMap(nonce => lane.slots.get(nonce) ?? forget(nonce))
        .filter(slot => isOpen(slot.tx) || forget(slot.nonce).length > 0)
      if (slots.length === 0) continue
      const again = await sendBatch(lane, slots)
      if (again > 0) return again
    }
    return 0
  }

  function forget(nonce: number): Slot[] {
    waiting.delete(nonce)
    return []
  }

  /** @returns ms to wait before the next batch, 0 = continue */
  async function sendBatch(lane: Lane, slots: readonly Slot[]): Promise<number> {
    const calls = slots.map(slot => ({ method: 'eth_sendRawTransaction', params: [attemptToSend(lane, slot).raw] }))
    lane.failPoint('during-send')
    const sentAt = Date.now()
    let replies: Awaited<ReturnType<Lane['rpc']['batch']>>
    try {
      replies = await lane.rpc.batch(calls)
    } catch (error) {
      if (!(error instanceof RpcUnavailable)) throw error
      return lane.timings.resendMs
    }
    const accepted: Slot[] = []
    let pauseMs = 0
    for (const [index, slot] of slots.entries()) {
      const reply = replies[index]!
      const fault = 'error' in reply ? reply.error : undefined
      const verdict = classifySend(fault)
      if (verdict === 'accepted' || verdict === 'underpriced') {
        waiting.delete(slot.nonce)
        accepted.push(slot)
      } else if (verdict === 'nonce-low') {
        waiting.delete(slot.nonce)
        lane.doubt()
      } else if (verdict === 'rejected' || verdict === 'too-large') {
        await replaceByNoop(lane, slot, { code: 'REJECTED_BY_NODE', message: fault!.message.slice(0, 300) })
      } else {
        if (verdict === 'no-funds') slot.isTooDear = true
        // Where gas is free only a transfer can be unaffordable: it leaves the slot and waits in the queue.
        if (verdict === 'no-funds' && lane.network.profile.gasless) await replaceByNoop(lane, slot, null)
        else if (verdict === 'no-funds') lane.paused = 'the lane has no funds'
        if (verdict === 'nonce-gap') for (const lower of lane.slots.open()) if (lower.nonce < slot.nonce) waiting.add(lower.nonce)
        pauseMs = lane.timings.resendMs
      }
    }
    if (pauseMs === 0) lane.paused = undefined
    markAccepted(lane, accepted, sentAt)
    return pauseMs
  }

  return {
    enqueue: nonces => {
      for (const nonce of nonces) waiting.add(nonce)
    },
    pass,
    get waiting() {
      return waiting.size
    },
  }
}

/** A spike of the base fee may have priced the last attempt above the lane's balance: after it an earlier attempt is enough. */
function attemptToSend(lane: Lane, { tx, isTooDear }: Slot): Attempt {
  const last = lastAttempt(tx)
  if (!isTooDear || last.noop) return last
  return tx.attempts.find(({ fee, noop, raw }) => !noop && raw !== null && isEnough(fee, lane.head.baseFee)) ?? last
}

/** The node has accepted them; this is stored only when they stay in the pool for long (see the reconciler). */
function markAccepted(lane: Lane, slots: readonly Slot[], sentAt: number): void {
  const now = performance.now()
  for (const slot of slots) {
    Object.assign(slot, { lastSentAt: now, sentAtBlock: lane.head.number })
    if (isOpen(slot.tx)) lane.slots.replace(slot, accept(slot.tx))
    const { hash } = lastAttempt(slot.tx)
    for (const op of slot.ops.values()) recordStep(op, { name: 'send', since: sentAt, txHash: hash })
  }
  if (slots.length) lane.failPoint('after-accept')
}
