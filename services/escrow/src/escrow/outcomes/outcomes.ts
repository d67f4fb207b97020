import { type ChainLog, chainEvent, chainEventRemoved, newAgentScore, type PayloadOf, type PublishedOutcome } from '@carapace/api'
import { Retry } from '@carapace/bus'
import { escrowSlot, operationParts, toChecksum, uuidOfKey } from '@carapace/chain'
import { on, onOutcomes, type Subscription, transactionOf } from '@carapace/service'
import { isOfLane, type Log } from '../../chain-log.ts'
import type { Parts } from '../../parts.ts'
import { contractOf } from '../bound-contract.ts'
import { changeEscrow, changeEscrowNow } from '../change-escrow.ts'
import type { Escrow } from '../escrow.ts'
import { directLockDropped, directLockReclaimed, directLockSeen, isStillOnChain, reclaimDropped, tryDirectLock } from '../lock/direct-lock.ts'
import { isSourceUnclear, lockConfirmed, lockFailed, lockReorged } from '../lock/transitions.ts'
import {
  paidWithDifferentSplit,
  payeeFailed,
  type Released,
  refundSeen,
  releaseConfirmed,
  releaseReverted,
  reverseSettlement,
  type Seen,
  settleFailed,
  settleReorged,
} from '../settlement/transitions.ts'
import type { OutcomeId, Result } from '../transition.ts'

type Confirmed = PublishedOutcome<'confirmed'>
type Failed = PublishedOutcome<'failed'>
type Reorged = PublishedOutcome<'reorged'>

const gigOf = (opKey: string): string => operationParts(opKey)[1]

/**
 * What follows the commands of an escrow. `escrow.dispute` and `.approve` only mark the slot: nothing follows. A named payee whose block is dropped
 * needs nothing: the same transaction follows, or its failure.
 */
function commandOutcomes(parts: Parts): Subscription[] {
  const reorged = (follow: (escrow: Escrow, outcome: OutcomeId) => Result | undefined) => (outcome: Reorged) =>
    changeEscrow(parts, gigOf(outcome.opKey), escrow => follow(escrow, outcome))
  const lock = {
    confirmed: (outcome: Confirmed) => locked(parts, outcome),
    failed: (failure: Failed) => lockEnded(parts, failure),
    reorged: reorged(lockReorged),
  }
  return onOutcomes({
    'escrow.lock': lock,
    'escrow.lock-x402': lock,
    'escrow.accept': lock,
    'escrow.payee': {
      failed: failure => changeEscrow(parts, gigOf(failure.opKey), escrow => payeeFailed(escrow, failure, parts.clock.now())),
    },
    'escrow.settle': {
      confirmed: outcome => settled(parts, outcome),
      failed: failure => changeEscrow(parts, gigOf(failure.opKey), escrow => settleFailed(escrow, failure, parts.clock.now())),
      reorged: reorged(settleReorged),
    },
  })
}

/** What follows when the block of something is dropped that others did on the contract itself. What we did there comes from the commands. */
const onDropped: Record<string, (parts: Parts, log: Log) => Promise<unknown>> = {
  EscrowLocked: directLockDropped,
  EscrowReclaimed: reclaimDropped,
  EscrowReleased: settlementDropped,
  EscrowRefunded: settlementDropped,
}

export const escrowChain = (parts: Parts): Subscription[] => [
  ...commandOutcomes(parts),
  on(chainEvent('Escrow', 'EscrowLocked'), async log => (log.final ? directLockSeen(parts, log) : undefined)),
  on(chainEvent('Escrow', 'EscrowReclaimed'), async log => (log.final ? directLockReclaimed(parts, log) : undefined)),
  on(chainEvent('Escrow', 'EscrowReleased'), async log => {
    const escrow = await escrowOf(parts, log)
    if (!escrow || !(await isSettledByOthers(parts, escrow, log))) return
    await released(parts, await changeEscrow(parts, escrow.id, present => paidWithDifferentSplit(present, paidBy(log))), log, log)
  }),
  on(chainEvent('Escrow', 'EscrowRefunded'), async log => {
    const escrow = await escrowOf(parts, log)
    // anybody can have a slot of its own under the key of a gig: only the poster's is ours
    if (!escrow?.lock || escrowSlot(escrow.id, escrow.lock.poster) !== log.args.slot) return
    if (!(await isSettledByOthers(parts, escrow, log))) return
    await changeEscrow(parts, escrow.id, releaseReverted)
    await refunded(parts, escrow.id, log)
  }),
  on(chainEventRemoved, async log => (log.contract === 'Escrow' ? onDropped[log.event]?.(parts, log) : undefined)),
]

/** The escrow that a final log speaks of: the keys of gigs are alike on both networks. */
async function escrowOf(
  parts: Parts,
  { final, network, args, address }: Pick<PayloadOf<ReturnType<typeof chainEvent>>, 'final' | 'network' | 'args' | 'address'>,
) {
  const gigId = final ? uuidOfKey(String(args.key)) : undefined
  const escrow = gigId === undefined ? undefined : await parts.escrows.get(gigId)
  // a slot of the same key may be on another of our contracts
  return escrow?.chain === network && (await contractOf(parts, escrow)) === address ? escrow : undefined
}

/**
 * Whether a log shows a settlement that our own command did not make: what our command did is known by its outcome and is processed once. After a
 * settlement was reversed, a log counts only in the block that the chain shows: it may be late.
 * @throws Retry while the transaction cannot be read
 */
async function isSettledByOthers(parts: Parts, { settlement }: Escrow, log: Log): Promise<boolean> {
  if (settlement?.onChain.txHash === log.txHash && !settlement.byLog) return false
  const mined = await transactionOf(parts, log)
  if ((settlement?.undone ?? 0) > 0 && mined?.blockHash !== log.blockHash) return false
  if (!mined) throw new Retry(`${log.txHash} cannot be read yet`)
  return !(await isOfLane(parts, log, mined))
}

async function settlementDropped(parts: Parts, log: Log): Promise<void> {
  const escrow = await escrowOf(parts, { ...log, final: true })
  const lose = (present: Escrow) => {
    const isOfLog = present.status === (log.event === 'EscrowReleased' ? 'released' : 'refunded')
    return isOfLog ? reverseSettlement(present, log.txHash, parts.clock.now()) : undefined
  }
  if (!escrow || !lose(escrow) || (await isStillOnChain(parts, log))) return
  await changeEscrow(parts, escrow.id, lose)
}

async function locked(parts: Parts, outcome: Confirmed): Promise<void> {
  const gigId = gigOf(outcome.opKey)
  const intakes = await parts.networks.everyLane(outcome.network)
  await changeEscrowNow(parts, gigId, (escrow, moment) => {
    const seen = { ...outcome, ...payerOf(escrow, outcome), intakes }
    if (!escrow.lock || !isSourceUnclear(escrow, seen)) return lockConfirmed(escrow, seen, moment)
    const { unclearSince } = escrow.lock
    if (!unclearSince) return { state: { ...escrow, lock: { ...escrow.lock, unclearSince: moment.now } }, events: [] }
    return moment.now.getTime() - unclearSince.getTime() < logsWaitMs ? undefined : lockConfirmed(escrow, seen, moment)
  })
}

/** How long the logs of a lock are waited for: a node may have pruned them, or somebody else made the lock. Then it is booked as requested. */
const logsWaitMs = 10 * 60_000

/** The wallet whose money was locked, as the token reports it. */
function payerOf({ amount }: Escrow, { logs }: Confirmed): { payer?: string } {
  const paid = logs.find(({ contract, event, args }) => contract === 'USDC' && event === 'Transfer' && microOf(args.value) === amount)
  return paid ? { payer: toChecksum(String(paid.args.from)) } : {}
}

async function lockEnded(parts: Parts, failure: Failed): Promise<void> {
  const gigId = gigOf(failure.opKey)
  await changeEscrowNow(parts, gigId, (escrow, moment) => lockFailed(escrow, failure, moment))
  await tryDirectLock(parts, gigId)
}

async function settled(parts: Parts, outcome: Confirmed): Promise<void> {
  const gigId = gigOf(outcome.opKey)
  const escrow = await parts.escrows.need(gigId)
  const log = outcome.logs.find(({ event, args }) => event === 'EscrowReleased' && uuidOfKey(String(args.key)) === gigId)
  if (escrow.settlement?.kind === 'release') await released(parts, escrow, outcome, log)
  else await refunded(parts, gigId, outcome)
}

const microOf = (value: unknown): bigint => BigInt(String(value))
const paidBy = ({ args }: Pick<ChainLog, 'args'>) => ({
  fee: microOf(args.fee),
  net: microOf(args.net),
  treasury: microOf(args.splitAmount),
  payee: toChecksum(String(args.payee)),
})

async function released(parts: Parts, { id: gigId, posterId, assignment }: Escrow, at: Seen, log: Pick<ChainLog, 'args'> | undefined): Promise<void> {
  const scoreOf = await parts.performances.scoresOf([posterId, ...(assignment ? [assignment.assigneeId] : [])])
  const seen: Released = {
    ...seenOf(at),
    ...(log ? { paid: paidBy(log) } : {}),
    posterScore: scoreOf(posterId),
    assigneeScore: assignment ? scoreOf(assignment.assigneeId) : newAgentScore.fusedScore,
  }
  await changeEscrow(parts, gigId, escrow => releaseConfirmed(escrow, seen, parts.clock.now()))
}

async function refunded(parts: Parts, gigId: string, at: Seen): Promise<void> {
  await changeEscrow(parts, gigId, escrow => refundSeen(escrow, seenOf(at), parts.clock.now()))
}

/** Of a command's outcome or of a log, which both hold more. */
const seenOf = ({ txHash, blockNumber, round, seq, already = false }: Seen): Seen => ({
  txHash,
  blockNumber,
  already,
  ...(seq === undefined ? {} : { seq }),
  ...(round === undefined ? {} : { round }),
})
