import type { Chain } from '@carapace/api'
import type { Block } from '../chain/reader.ts'

/** INCLUDED is not stored: an operation is included while a transaction holds its key in `liveOps`. */
export type OpState = 'QUEUED' | 'CONFIRMED' | 'FINAL' | 'FAILED' | 'CANCELLED' | 'EXPIRED'
export const terminalFailures: readonly OpState[] = ['FAILED', 'CANCELLED', 'EXPIRED']

export interface OpError {
  code: string
  message: string
  revert?: { name: string; args: string[] }
}
export interface OpResult {
  /** Empty in the store: the live transaction has it. */
  txHash: string
  blockNumber: number
  blockHash: string
  /** Unix seconds. */
  blockTime: number
  /** Empty in the store: they are read from the chain. */
  logs: Record<string, unknown>[]
  /** The effect was found on chain; no transaction of this round caused it. */
  already?: true
}

/** An operation's call reverted in a way that a missing effect explains. Present until it is confirmed. */
export interface Waiting {
  /** Head when it first did. */
  fromBlock: number
  tries: number
  error: OpError
}

/** One operation: the request of a service, by its key. */
export interface OpRecord {
  _id: string
  round: number
  network: Chain
  lane: string
  kind: string
  /** As received, plain JSON. */
  args: Record<string, unknown>
  argsHash: string
  aggregateKey: string
  state: OpState
  /** Tries that reached a block and failed there. */
  attempts: number
  /** Place in the queue; rises with arrival. */
  order: number
  /** Not before, Unix ms. */
  nextAt: number
  /** Unix ms, wall clock; null = never expires. */
  deadline: number | null
  /** Multiplies the gas of its kind; doubled when it ran out of gas. */
  gasFactor: number
  /** Was carried by the Batcher once: retries use it too, so that its `done` guard holds. */
  viaBatcher: boolean
  /** Rises with every event about it. */
  seq: number
  /** Last transaction whose failure has been counted. */
  countedTx: string | null
  /** The last transaction that carried it, by hash. */
  txHash: string | null
  cancelRequested?: true
  /** Its failure is certain, but is published only at `nextAt`: until then another sender could still cause the effect. */
  failLater?: OpError
  /** When its published effect was last reversed by a reorganisation, Unix ms. */
  reversedAt?: number
  waiting?: Waiting | null
  /** Until then, Unix ms, anybody may submit a signed authorisation that was in a block. 0 = there is none. */
  openUntil?: number
  result: OpResult | null
  error: OpError | null
  causationId: string | null
  traceparent: string | null
  history: { at: number; what: string }[]
  createdAt: number
  updatedAt: number
}

export type TxState = 'SIGNED' | 'ACCEPTED' | 'MINED_OK' | 'MINED_REVERTED' | 'FINAL' | 'REPLACED' | 'VOID'

export type Fee = { type: 0; gasPrice: bigint } | { type: 2; maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

export interface Attempt {
  hash: string
  /** Signed bytes; null once the reaper has trimmed them. */
  raw: string | null
  /** wei, decimal text */
  fee: { gasPrice: string } | { maxFeePerGas: string; maxPriorityFeePerGas: string }
  /** An empty transaction in the same slot. */
  noop?: true
  signedAt: number
}

/** What a transaction carries of an operation. */
export interface Carried {
  opKey: string
  round: number
  /** `seq` of its submitted event. */
  seq: number
  /** Key under which the Batcher knows it; null when the transaction calls the contract itself. */
  batchId: string | null
}

/**
 * One nonce slot of a lane. The insert allocates the nonce (unique _id) and claims the operations (unique liveOps) in one write.
 * VOID records hold no slot: they claim an operation that will never be signed.
 */
export interface TxRecord {
  _id: string
  lane: string
  nonce: number | null
  /** Lease under which it was last written. */
  epoch: number
  /** Operations for which this is the live transaction; absent when none. */
  liveOps?: string[]
  ops: Carried[]
  to: string
  /** wei, decimal text */
  value: string
  gasLimit: number
  attempts: Attempt[]
  state: TxState
  /** Present while a leader has work for it. */
  unfinished?: boolean
  block: Block | null
  minedHash: string | null
  gasUsed: number | null
  /** Why a VOID or a NOOP got the slot: becomes the operations' failure. */
  failWith: OpError | null
  signedAt: number
  /** Head of the chain when it was signed; absent in old records. */
  signedHead?: number
}

/** The record of a slot whose first transaction has just been signed. */
export const signedTx = (
  slot: Pick<TxRecord, 'lane' | 'epoch' | 'liveOps' | 'ops' | 'to' | 'value' | 'gasLimit' | 'signedHead'> & { nonce: number },
  attempt: Attempt,
): TxRecord => ({
  _id: txIdOf(slot.lane, slot.nonce),
  ...slot,
  attempts: [attempt],
  state: 'SIGNED',
  unfinished: true,
  block: null,
  minedHash: null,
  gasUsed: null,
  failWith: null,
  signedAt: attempt.signedAt,
})
export const txIdOf = (lane: string, nonce: number) => `${lane}:${nonce}`
export const voidIdOf = (opKey: string, round: number) => `void:${opKey}:${round}`
/** A slot that still has to be mined. */
export const isOpen = (tx: TxRecord) => tx.state === 'SIGNED' || tx.state === 'ACCEPTED'
/** The bytes that hold the slot now. */
export const lastAttempt = (tx: TxRecord): Attempt => tx.attempts[tx.attempts.length - 1]!
