import type { CommandKind } from '@carapace/api'
import { operationKey } from '@carapace/chain'
import type { Awaiting } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Bond, BondLock, Move } from './bond/bond.ts'
import type { Escrow, FundingKind } from './escrow/escrow.ts'
import type { Parts } from './parts.ts'

/** Escrows, bonds and claims in states that end with the outcome of a command. */
export async function awaits({ escrows, bonds, claims }: Parts): Promise<Awaiting[]> {
  const [waiting, changing, claiming] = await Promise.all([
    escrows.find({ status: { $in: ['funding', 'releasing', 'refunding'] } }),
    bonds.findAny([{ 'moves.stage': 'sent' }, { 'locks.stage': { $in: ['locking', 'unlocking'] } }]),
    claims.find({ $or: [{ status: 'claiming' }, { unloggedSeq: { $gt: 0 } }] }),
  ])
  return [
    ...waiting.flatMap(ofEscrow),
    ...changing.flatMap(({ moves }) => moves.filter(({ stage }) => stage === 'sent').map(ofMove)),
    ...changing.flatMap(bond => bond.locks.flatMap(lock => ofLock(bond, lock))),
    ...claiming.map(({ id, onChain: { round }, updatedAt }) => ({
      record: `claim ${id}`,
      opKey: operationKey('reward.pay', id),
      round,
      since: updatedAt,
    })),
  ]
}

const lockKinds: Partial<Record<FundingKind, CommandKind>> = { onchain: 'escrow.accept', x402: 'escrow.lock-x402' }

/** A lock without its command is resumed by a job, a settlement that failed by its timer. */
function ofEscrow({ id, status, lock, settlement, updatedAt }: Stored<Escrow>): Awaiting[] {
  const record = `escrow ${id} in ${status}`
  if (status === 'funding')
    return lock?.stage === 'sent'
      ? [{ record, opKey: operationKey(lockKinds[lock.kind] ?? 'escrow.lock', id), round: lock.onChain.round, since: updatedAt }]
      : []
  return settlement && !settlement.retryAt && settlement.onChain.round > 0
    ? [{ record, opKey: operationKey('escrow.settle', id), round: settlement.onChain.round, since: updatedAt }]
    : []
}

const commandOf = { DEPOSIT: 'bond.deposit', WITHDRAW: 'bond.withdraw', SLASH: 'bond.slash', SLASH_REVERSED: 'bond.unslash' } as const

const ofMove = ({ id, type, onChain: { round }, at }: Move): Awaiting => ({
  record: `bond event ${id} (${type})`,
  opKey: operationKey(commandOf[type], id),
  round,
  since: at,
})

function ofLock({ updatedAt }: Stored<Bond>, { gigId, stage, lockId, unlockId, onChain, unlockOnChain, at }: BondLock): Awaiting[] {
  const record = `bond lock of gig ${gigId} in ${stage}`
  if (stage === 'locking') return [{ record, opKey: operationKey('bond.lock', lockId), round: onChain.round, since: at }]
  return stage === 'unlocking' && unlockId !== null && unlockOnChain?.status === 'pending'
    ? [{ record, opKey: operationKey('bond.unlock', unlockId), round: unlockOnChain.round, since: updatedAt }]
    : []
}
