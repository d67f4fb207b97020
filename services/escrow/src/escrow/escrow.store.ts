import { type OnChain, sentOnChain } from '@carapace/chain'
import type { PerKeyQueue } from '@carapace/service'
import { type AggregateStore, aggregateStore, type Database, type Decision, type Indexes } from '@carapace/store'
import { type Booked, type Books, bookedOn } from '../books.ts'
import type { Escrow, Lock, Settlement } from './escrow.ts'
import { escrowStates } from './escrow-states.ts'
import { postings } from './postings.ts'

const indexes: Indexes = {
  due: { key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $type: 'date' } } },
  status_updated: { key: { status: 1, updatedAt: 1 } },
  // after the more selective ones: of two that fit equally the engine uses the first
  status_id: { key: { status: 1, _id: 1 } },
}

export type EscrowStore = AggregateStore<Escrow>

/** One document per gig, under the gig's id. A change that moves money posts its ledger lines and the total locked in the same transaction. */
export const escrowStore = (db: Database, ledger: Books, queue: PerKeyQueue): EscrowStore =>
  aggregateStore<Escrow, Decision<Escrow>, Booked>(db, {
    collection: 'escrows',
    resource: 'escrow',
    optimistic: true,
    indexes,
    upgrade: upgradeEscrow,
    ledger,
    postings: (before, after) => (before ? bookedOn(after.chain, postings(before, after)) : []),
    // they all write the one row of the total locked
    serialize: (_after, work) => queue.serialize('tvl', work),
  })

/** Before `onChain` was one field, what was known of its commands was part of a lock, and of a settlement. */
type OldOnChain = Partial<Pick<OnChain, 'round' | 'seq' | 'txHash' | 'blockNumber' | 'error'>>
type OldLock = Lock & OldOnChain & { payeeRound?: number; payeeFailed?: boolean; payeeSeq?: number }

/**
 * A stored escrow with what it knows of its commands in `onChain`, where older ones had it spread over the lock and the settlement. One in the present
 * form is answered as it is: every escrow that is read passes here.
 */
export function upgradeEscrow<E extends Escrow>(escrow: E): E {
  const { lock, lockFailure, settlement, status } = escrow
  const isOld = [lock, lockFailure?.lock, settlement].some(part => part && !part.onChain)
  if (!isOld) return escrow
  return {
    ...escrow,
    lock: lock && upgradeLock(lock, lock.stage === 'confirmed' ? 'confirmed' : 'pending'),
    lockFailure: lockFailure?.lock ? { ...lockFailure, lock: upgradeLock(lockFailure.lock, 'failed') } : lockFailure,
    settlement: settlement && upgradeSettlement(settlement, status),
  }
}

function upgradeLock(lock: OldLock, status: OnChain['status']): Lock {
  if (lock.onChain) return lock
  const { payeeRound = 0, payeeFailed = false, payeeSeq = 0, ...rest } = lock
  const payee = { ...sentOnChain, status: payeeFailed ? 'failed' : 'pending', round: payeeRound, seq: payeeSeq } as const
  return { ...gathered(rest, status), payeeOnChain: payeeRound > 0 ? payee : null }
}

function upgradeSettlement(settlement: Settlement, status: Escrow['status']): Settlement {
  if (settlement.onChain) return settlement
  const isMade = status === 'released' || status === 'refunded'
  const hasFailed = settlement.retryAt !== null || escrowStates.isFinal(status)
  return gathered(settlement, isMade ? 'confirmed' : hasFailed ? 'failed' : 'pending')
}

/** A part of an escrow with what it knows on chain in its one field. */
function gathered<P extends object>(part: P & OldOnChain, status: OnChain['status']): P & { onChain: Required<OnChain> } {
  const { round = 1, seq = 0, txHash = null, blockNumber = null, error = null, ...rest } = part
  return { ...(rest as unknown as P), onChain: { ...sentOnChain, status, txHash, blockNumber, error, round, seq } }
}
