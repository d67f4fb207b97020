import { type ChainLog, chainCommandConfirmed, chainCommandFailed, chainEvent, newcomerScore, type PayloadOf } from '@carapace/api'
import { escrowSlot, uuidOfKey } from '@carapace/chain'
import { on, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { directLockGone, directLockSeen, tryDirectLock } from './direct.ts'
import { changeEscrow, momentOf } from './keep.ts'
import { lockConfirmed, lockFailed } from './locking.ts'
import { payeeFailed, type Released, refundSeen, releaseConfirmed, settleFailed } from './settled.ts'

type Confirmed = PayloadOf<typeof chainCommandConfirmed>
type Failed = PayloadOf<typeof chainCommandFailed>

const gigOf = (opKey: string): string => opKey.split(':')[1]!

/** What each command of an escrow does when it has its effect. `escrow.dispute` and `.approve` only mark the slot: nothing follows. */
const whenConfirmed: Record<string, (parts: Parts, outcome: Confirmed) => Promise<unknown>> = {
  'escrow.lock': locked,
  'escrow.accept': locked,
  'escrow.settle': settled,
}
const whenFailed: Record<string, (parts: Parts, failure: Failed) => Promise<unknown>> = {
  'escrow.lock': lockEnded,
  'escrow.accept': lockEnded,
  'escrow.settle': (parts, { opKey, round, code, message }) =>
    changeEscrow(parts, gigOf(opKey), escrow => settleFailed(escrow, { round, code, message }, parts.clock.now())),
  'escrow.payee': (parts, { opKey, round }) => changeEscrow(parts, gigOf(opKey), escrow => payeeFailed(escrow, round, parts.clock.now())),
}

export const escrowChain = (parts: Parts): Subscription[] => [
  on(chainCommandConfirmed, async outcome => whenConfirmed[outcome.kind]?.(parts, outcome)),
  // a refusal of the command itself ends nothing
  on(chainCommandFailed, async failure => (failure.terminal ? whenFailed[failure.kind]?.(parts, failure) : undefined)),
  on(chainEvent('Escrow', 'EscrowLocked'), async log => (log.final ? directLockSeen(parts, log) : undefined)),
  on(chainEvent('Escrow', 'EscrowReclaimed'), async log => (log.final ? directLockGone(parts, log) : undefined)),
  on(chainEvent('Escrow', 'EscrowReleased'), async log => {
    const gigId = uuidOfKey(String(log.args.key))
    if (log.final && gigId && (await parts.escrows.get(gigId))) await released(parts, gigId, log, log)
  }),
  on(chainEvent('Escrow', 'EscrowRefunded'), async log => {
    const gigId = uuidOfKey(String(log.args.key))
    const escrow = log.final && gigId ? await parts.escrows.get(gigId) : undefined
    // anybody can have a slot of its own under the key of a gig: only the poster's is ours
    if (escrow?.lock && escrowSlot(escrow.id, escrow.lock.poster) === log.args.slot) await refunded(parts, escrow.id, log)
  }),
]

async function locked(parts: Parts, { opKey, txHash, blockNumber }: Confirmed): Promise<void> {
  const moment = await momentOf(parts, gigOf(opKey))
  await changeEscrow(parts, gigOf(opKey), escrow => lockConfirmed(escrow, { txHash, blockNumber }, moment))
}

async function lockEnded(parts: Parts, { opKey, round, code, message }: Failed): Promise<void> {
  const moment = await momentOf(parts, gigOf(opKey))
  await changeEscrow(parts, gigOf(opKey), escrow => lockFailed(escrow, { round, code, message }, moment))
  await tryDirectLock(parts, gigOf(opKey))
}

async function settled(parts: Parts, outcome: Confirmed): Promise<void> {
  const gigId = gigOf(outcome.opKey)
  const { settlement } = await parts.escrows.need(gigId)
  const log = outcome.logs.find(({ event, args }) => event === 'EscrowReleased' && uuidOfKey(String(args.key)) === gigId)
  if (settlement?.kind === 'release') await released(parts, gigId, outcome, log)
  else await refunded(parts, gigId, outcome)
}

const amountOf = (value: unknown): bigint => BigInt(String(value))

async function released(
  parts: Parts,
  gigId: string,
  at: { txHash: string; blockNumber: number },
  log: Pick<ChainLog, 'args'> | undefined,
): Promise<void> {
  const { posterId, assignment } = await parts.escrows.need(gigId)
  const [poster, assignee] = await Promise.all([parts.agents.get(posterId), assignment ? parts.agents.get(assignment.assigneeId) : undefined])
  const seen: Released = {
    txHash: at.txHash,
    blockNumber: at.blockNumber,
    ...(log ? { paid: { fee: amountOf(log.args.fee), net: amountOf(log.args.net), treasury: amountOf(log.args.splitAmount) } } : {}),
    posterScore: poster?.fusedScore ?? newcomerScore.fusedScore,
    assigneeScore: assignee?.fusedScore ?? newcomerScore.fusedScore,
  }
  await changeEscrow(parts, gigId, escrow => releaseConfirmed(escrow, seen, parts.clock.now()))
}

async function refunded(parts: Parts, gigId: string, { txHash, blockNumber }: { txHash: string; blockNumber: number }): Promise<void> {
  await changeEscrow(parts, gigId, escrow => refundSeen(escrow, { txHash, blockNumber }, parts.clock.now()))
}
