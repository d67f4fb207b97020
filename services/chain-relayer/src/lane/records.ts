import type { Chain } from '@carapace/api'
import type { Block } from '../chain/reader.ts'

/** INCLUDED is not stored: an operation is included while a transaction holds its key in `liveOps`. */
export type OpState = Op['state']
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
  /** Empty in the store unless `already`: they are read from the chain. */
  logs: Record<string, unknown>[]
  /** The effect was found on chain; no transaction of this round caused it. Its logs are known if one of an earlier round did. */
  already?: true
}

/** An operation's call reverted in a way that a missing effect explains. Present until it is confirmed. */
export interface Waiting {
  /** Head when it first did. */
  fromBlock: number
  tries: number
  error: OpError
}

/** Not in a block: waits to be signed, or is carried by a live transaction. */
export interface QueuedOp extends OpBase {
  readonly state: 'QUEUED'
  readonly result: null
  readonly error: null
}
/** Its effect is in a block that a reorganisation may still drop. */
export interface ConfirmedOp extends OpBase {
  readonly state: 'CONFIRMED'
  readonly result: OpResult
  readonly error: null
}
/** Its effect is in a final block. */
export interface FinalOp extends OpBase {
  readonly state: 'FINAL'
  readonly result: OpResult
  readonly error: null
}
/** Its round has ended without an effect. */
export interface FailedOp extends OpBase {
  readonly state: 'FAILED' | 'CANCELLED' | 'EXPIRED'
  readonly result: null
  readonly error: OpError
}

/** One operation: the request of a service, by its key. A record never changes: a transition returns the next one (see `outcome.ts`). */
export type Op = QueuedOp | ConfirmedOp | FinalOp | FailedOp

export const hasFailed = (op: Op): op is FailedOp => terminalFailures.includes(op.state)
/** A block has its effect. */
export const hasEffect = (op: Op): op is ConfirmedOp | FinalOp => op.state === 'CONFIRMED' || op.state === 'FINAL'

/** Query for operations whose effect was found: no transaction says that they are not final. */
export const foundNotFinal = { state: 'CONFIRMED', 'result.already': true } as const

interface OpBase {
  readonly _id: string
  readonly round: number
  readonly network: Chain
  readonly lane: string
  readonly kind: string
  /** As received, plain JSON. */
  readonly args: Record<string, unknown>
  readonly argsHash: string
  readonly aggregateKey: string
  /** Tries that reached a block and failed there. */
  readonly attempts: number
  /** Place in the queue; rises with arrival. */
  readonly order: number
  /** Not before, Unix ms. */
  readonly nextAt: number
  /** Unix ms, wall clock; null = never expires. */
  readonly deadline: number | null
  /** Multiplies the gas of its kind; doubled when it ran out of gas. */
  readonly gasFactor: number
  /** Was carried by the Batcher once: retries use it too, so that its `done` guard holds. */
  readonly viaBatcher: boolean
  /** Rises with every event about it. */
  readonly seq: number
  /** Last transaction whose failure has been counted. */
  readonly countedTx: string | null
  /** The last transaction that carried it, by hash. */
  readonly txHash: string | null
  readonly cancelRequested?: true
  /** Its failure is certain, but is published only at `nextAt`: until then another sender could still cause the effect. */
  readonly failLater?: OpError
  /** When its published effect was last reversed by a reorganisation, Unix ms. */
  readonly reversedAt?: number
  readonly waiting?: Waiting | null
  /** Until then, Unix ms, anybody may submit a signed authorisation that a transaction has shown; then that is checked. 0 = there is none. */
  readonly openUntil?: number
  readonly causationId: string | null
  readonly traceparent: string | null
  readonly history: readonly { at: number; what: string }[]
  readonly createdAt: number
  readonly updatedAt: number
}

export type TxState = Tx['state']

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
  /** Unix seconds at which the transfer authorisation ends that was signed for it; absent where there is none, and in old records. */
  validBefore?: number
}

/** A slot that still has to be mined. */
export interface OpenTx extends TxBase, NotMined {
  readonly state: 'SIGNED' | 'ACCEPTED'
  readonly nonce: number
}
/** A block has it that a reorganisation may still drop. */
export interface MinedTx extends TxBase {
  readonly state: 'MINED_OK' | 'MINED_REVERTED'
  readonly nonce: number
  readonly block: Block
  /** Null in a record that became final before this was stored. */
  readonly minedHash: string | null
  readonly gasUsed: number | null
}
/** A final block has it; one that was VOID has no block. */
export interface FinalTx extends TxBase {
  readonly state: 'FINAL'
  readonly nonce: number | null
  readonly block: Block | null
  readonly minedHash: string | null
  readonly gasUsed: number | null
}
/** Another sender's transaction used its nonce. */
export interface ReplacedTx extends TxBase, NotMined {
  readonly state: 'REPLACED'
  readonly nonce: number
}
/** Holds no slot: it claims an operation that will never be signed. */
export interface VoidTx extends TxBase, NotMined {
  readonly state: 'VOID'
  readonly nonce: null
  readonly failWith: OpError
}

/**
 * One nonce slot of a lane. The insert allocates the nonce (unique _id) and claims the operations (unique liveOps) in one write. A record never
 * changes: a transition returns the next one (see `tx-writes.ts`).
 */
export type Tx = OpenTx | MinedTx | FinalTx | ReplacedTx | VoidTx
/** What a slot in memory holds. */
export type HeldTx = OpenTx | MinedTx

interface NotMined {
  readonly block: null
  readonly minedHash: null
  readonly gasUsed: null
}

interface TxBase {
  readonly _id: string
  readonly lane: string
  /** Lease under which it was last written. */
  readonly epoch: number
  /** Operations for which this is the live transaction; absent when none. */
  readonly liveOps?: readonly string[]
  readonly ops: readonly Carried[]
  readonly to: string
  /** wei, decimal text */
  readonly value: string
  readonly gasLimit: number
  readonly attempts: readonly Attempt[]
  /** Present while a leader has work for it. */
  readonly unfinished?: boolean
  /** Why a VOID or a NOOP got the slot: becomes the operations' failure. */
  readonly failWith: OpError | null
  readonly signedAt: number
  /** Head of the chain when it was signed; absent in old records. */
  readonly signedHead?: number
}

/** The record of a slot whose first transaction has just been signed. */
export const signedTx = (
  slot: Pick<OpenTx, 'lane' | 'nonce' | 'epoch' | 'liveOps' | 'ops' | 'to' | 'value' | 'gasLimit' | 'signedHead'>,
  attempt: Attempt,
): OpenTx => ({
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
export const isOpen = (tx: Tx): tx is OpenTx => tx.state === 'SIGNED' || tx.state === 'ACCEPTED'
export const isMined = (tx: Tx): tx is MinedTx => tx.state === 'MINED_OK' || tx.state === 'MINED_REVERTED'
/** The bytes that hold the slot now. */
export const lastAttempt = (tx: Tx): Attempt => tx.attempts[tx.attempts.length - 1]!
