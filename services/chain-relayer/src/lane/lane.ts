import type { Command } from '@carapace/chain'
import type { HeaderField } from '../chain/consistency.ts'
import type { Network } from '../chain/network.ts'
import type { Block } from '../chain/reader.ts'
import type { Custody, Signer } from '../custody/custody.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { Announcer } from './announce.ts'
import type { Collections } from './collections.ts'
import type { FollowUp } from './follow-up.ts'
import type { HeldAggregates } from './held-aggregates.ts'
import type { Lease } from './lease.ts'
import type { OpQueue } from './queue.ts'
import type { ConfirmedOp } from './records.ts'
import type { Slots } from './slots.ts'
import type { Timings } from './timings.ts'

/** The points at which a crash differs from every other. Tests stop the process there. */
export const failPoints = [
  'before-op-upsert',
  'after-op-upsert',
  'after-sign',
  'after-tx-insert',
  'during-send',
  'after-accept',
  'after-mined',
  'after-outcome',
] as const
export type FailPoint = (typeof failPoints)[number]

export interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** What the lane of a network's present key knows about that of the former one. */
export interface RetiringLane {
  readonly id: string
  readonly signer: Signer
}

/** What a lane is made of before it leads. */
export interface LaneParts {
  readonly id: string
  readonly network: Network
  readonly rpc: Rpc
  readonly signer: Signer
  /** It has the former key of its network: it finishes what it accepted, receives no commands and publishes no logs. */
  readonly isRetiring?: true
  /** Of a retiring lane: the lane of its network's present key in this process. */
  readonly presentId?: string
  /** The lane of the network's former key, while keys are exchanged. */
  readonly retiring?: RetiringLane
  readonly custody: Custody
  /** Addresses without a key here whose incoming USDC is published, EIP-55. */
  readonly watchedWallets: readonly string[]
  readonly db: Collections
  readonly timings: Timings
  /** No other process uses the database. */
  readonly isAlone?: boolean
  readonly announce: Announcer
  readonly commandOf: (kind: string) => Command | undefined
  readonly log: Logger
  /** Calls in one Batcher transaction; 1 = never batch but what must. */
  readonly batchSize: number
  readonly failPoint: (point: FailPoint) => void
  /** Called for each confirmation: ms since the command was accepted. */
  readonly onConfirmed: (afterMs: number) => void
}

export interface Head extends Block {
  baseFee: bigint
  gasLimit: bigint
}

/** One ordered sender: a network and the key that sends there, while this process leads it. */
export interface Lane extends LaneParts {
  readonly lease: Lease
  readonly queue: OpQueue
  readonly slots: Slots
  readonly after: FollowUp
  /** What the former key still has to finish. */
  readonly held: HeldAggregates
  /** Confirmed by an effect that was found on chain, by key; final when the block of that query is. */
  readonly found: Map<string, ConfirmedOp>
  /** Last processed block. */
  head: Head
  /** Why nothing is signed or sent now; undefined = it is running. */
  paused: string | undefined
  /** In what the node contradicts itself; undefined = it does not. */
  contradiction: string | undefined
  /** Header fields that this network's node fills in another way, so that receipts are not compared with them. */
  readonly unchecked: Set<HeaderField>
  /** Requests a pass of the planner. */
  wake(): void
  /** Queues slots for (re)sending. */
  send(nonces: readonly number[]): void
  /** Requests a reconciliation soon. */
  doubt(): void
  /** This process wrote something that the leader finds in the collections: it searches with the next reconciliation, which is soon. */
  checkStore(): void
  /** Ends this process's term; the next leader starts with a recovery. */
  fail(reason: unknown): void
}

/** The lease is lost or another leader was active: this one must write nothing more. */
export class Fenced extends Error {
  constructor(reason: string) {
    super(`lane lost: ${reason}`)
    this.name = 'Fenced'
  }
}

/** @throws Fenced when this process can no longer be sure that it leads */
export function assertLeading(lane: Lane): void {
  if (!lane.lease.valid()) throw new Fenced('the lease has run out')
}
