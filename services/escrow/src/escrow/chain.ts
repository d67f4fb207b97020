import {
  type ChainLog,
  chainCommandConfirmed,
  chainCommandFailed,
  chainCommandReorged,
  chainEvent,
  chainEventRemoved,
  newcomerScore,
  type PayloadOf,
} from '@carapace/api'
import { escrowSlot, operationParts, uuidOfKey } from '@carapace/chain'
import { on, type Subscription } from '@carapace/service'
import { type Log, minedOf } from '../chain-log.ts'
import type { Parts } from '../parts.ts'
import type { Result, Told } from './change.ts'
import { directLockGone, directLockReclaimed, directLockSeen, isShown, reclaimGone, tryDirectLock } from './direct.ts'
import type { Escrow } from './escrow.ts'
import { changeEscrow, momentOf } from './keep.ts'
import { lockConfirmed, lockFailed, lockReorged } from './locking.ts'
import {
  payeeFailed,
  payoutMisread,
  payoutRefuted,
  type Released,
  refundSeen,
  releaseConfirmed,
  type Seen,
  settleFailed,
  settlementLost,
  settleReorged,
} from './settled.ts'

type Confirmed = PayloadOf<typeof chainCommandConfirmed>
type Failed = PayloadOf<typeof chainCommandFailed>

const gigOf = (opKey: string): string => operationParts(opKey)[1]

/** What each command of an escrow does when it has its effect. `escrow.dispute` and `.approve` only mark the slot: nothing follows. */
const whenConfirmed: Record<string, (parts: Parts, outcome: Confirmed) => Promise<unknown>> = {
  'escrow.lock': locked,
  'escrow.accept': locked,
  'escrow.settle': settled,
}
const whenFailed: Record<string, (parts: Parts, failure: Failed) => Promise<unknown>> = {
  'escrow.lock': lockEnded,
  'escrow.accept': lockEnded,
  'escrow.settle': (parts, failure) => changeEscrow(parts, gigOf(failure.opKey), escrow => settleFailed(escrow, failure, parts.clock.now())),
  'escrow.payee': (parts, { opKey, round }) => changeEscrow(parts, gigOf(opKey), escrow => payeeFailed(escrow, round, parts.clock.now())),
}
/** A named payee or a mark whose block is gone needs nothing: the same transaction follows, or its failure. */
const whenReorged: Record<string, (escrow: Escrow, told: Told) => Result | undefined> = {
  'escrow.lock': lockReorged,
  'escrow.accept': lockReorged,
  'escrow.settle': settleReorged,
}

/** What follows when the block of something is gone that others did on the contract itself. What we did there comes from the commands. */
const whenGone: Record<string, (parts: Parts, log: Log) => Promise<unknown>> = {
  EscrowLocked: directLockGone,
  EscrowReclaimed: reclaimGone,
  EscrowReleased: settlementGone,
  EscrowRefunded: settlementGone,
}

export const escrowChain = (parts: Parts): Subscription[] => [
  on(chainCommandConfirmed, async outcome => whenConfirmed[outcome.kind]?.(parts, outcome)),
  // a refusal of the command itself ends nothing
  on(chainCommandFailed, async failure => (failure.terminal ? whenFailed[failure.kind]?.(parts, failure) : undefined)),
  on(chainCommandReorged, async told => {
    const reorged = whenReorged[told.kind]
    if (reorged) await changeEscrow(parts, gigOf(told.opKey), escrow => reorged(escrow, told))
  }),
  on(chainEvent('Escrow', 'EscrowLocked'), async log => (log.final ? directLockSeen(parts, log) : undefined)),
  on(chainEvent('Escrow', 'EscrowReclaimed'), async log => (log.final ? directLockReclaimed(parts, log) : undefined)),
  on(chainEvent('Escrow', 'EscrowReleased'), async log => {
    const escrow = await escrowOf(parts, log)
    if (!escrow || (await isOfLostBlock(parts, escrow, log))) return
    await changeEscrow(parts, escrow.id, present => payoutMisread(present, paidBy(log)))
    await released(parts, escrow.id, log, log)
  }),
  on(chainEvent('Escrow', 'EscrowRefunded'), async log => {
    const escrow = await escrowOf(parts, log)
    // anybody can have a slot of its own under the key of a gig: only the poster's is ours
    if (!escrow?.lock || escrowSlot(escrow.id, escrow.lock.poster) !== log.args.slot) return
    if (await isOfLostBlock(parts, escrow, log)) return
    await changeEscrow(parts, escrow.id, payoutRefuted)
    await refunded(parts, escrow.id, log)
  }),
  on(chainEventRemoved, async log => (log.contract === 'Escrow' ? whenGone[log.event]?.(parts, log) : undefined)),
]

/** The escrow that a final log speaks of: the keys of gigs are alike on both networks. */
async function escrowOf(parts: Parts, { final, network, args }: Pick<PayloadOf<ReturnType<typeof chainEvent>>, 'final' | 'network' | 'args'>) {
  const gigId = final ? uuidOfKey(String(args.key)) : undefined
  const escrow = gigId === undefined ? undefined : await parts.escrows.get(gigId)
  return escrow?.chain === network ? escrow : undefined
}

/** After a settlement was lost, one that is announced counts only in the block that the chain shows: announcements may come late. */
const isOfLostBlock = async (parts: Parts, { settlement }: Escrow, log: Log): Promise<boolean> =>
  (settlement?.undone ?? 0) > 0 && (await minedOf(parts, log))?.blockHash !== log.blockHash

async function settlementGone(parts: Parts, log: Log): Promise<void> {
  const escrow = await escrowOf(parts, { ...log, final: true })
  const lose = (present: Escrow) => {
    const isOfLog = present.status === (log.event === 'EscrowReleased' ? 'released' : 'refunded')
    return isOfLog ? settlementLost(present, log.txHash, parts.clock.now()) : undefined
  }
  if (!escrow || !lose(escrow) || (await isShown(parts, log))) return
  await changeEscrow(parts, escrow.id, lose)
}

async function locked(parts: Parts, outcome: Confirmed): Promise<void> {
  const gigId = gigOf(outcome.opKey)
  const moment = await momentOf(parts, gigId)
  await changeEscrow(parts, gigId, escrow => lockConfirmed(escrow, outcome, moment))
}

async function lockEnded(parts: Parts, failure: Failed): Promise<void> {
  const gigId = gigOf(failure.opKey)
  const moment = await momentOf(parts, gigId)
  await changeEscrow(parts, gigId, escrow => lockFailed(escrow, failure, moment))
  await tryDirectLock(parts, gigId)
}

async function settled(parts: Parts, outcome: Confirmed): Promise<void> {
  const gigId = gigOf(outcome.opKey)
  const { settlement } = await parts.escrows.need(gigId)
  const log = outcome.logs.find(({ event, args }) => event === 'EscrowReleased' && uuidOfKey(String(args.key)) === gigId)
  if (settlement?.kind === 'release') await released(parts, gigId, outcome, log)
  else await refunded(parts, gigId, outcome)
}

const microOf = (value: unknown): bigint => BigInt(String(value))
const paidBy = ({ args }: Pick<ChainLog, 'args'>) => ({ fee: microOf(args.fee), net: microOf(args.net), treasury: microOf(args.splitAmount) })

async function released(parts: Parts, gigId: string, at: Seen, log: Pick<ChainLog, 'args'> | undefined): Promise<void> {
  const { posterId, assignment } = await parts.escrows.need(gigId)
  const [poster, assignee] = await Promise.all([parts.agents.get(posterId), assignment ? parts.agents.get(assignment.assigneeId) : undefined])
  const seen: Released = {
    ...seenOf(at),
    ...(log ? { paid: paidBy(log) } : {}),
    posterScore: poster?.fusedScore ?? newcomerScore.fusedScore,
    assigneeScore: assignee?.fusedScore ?? newcomerScore.fusedScore,
  }
  await changeEscrow(parts, gigId, escrow => releaseConfirmed(escrow, seen, parts.clock.now()))
}

async function refunded(parts: Parts, gigId: string, at: Seen): Promise<void> {
  await changeEscrow(parts, gigId, escrow => refundSeen(escrow, seenOf(at), parts.clock.now()))
}

/** Of a command's outcome or of a log, which both hold more. */
const seenOf = ({ txHash, blockNumber, seq, already = false }: Seen): Seen => ({
  txHash,
  blockNumber,
  already,
  ...(seq === undefined ? {} : { seq }),
})
