import { type chainEvent, limits, marketplaceApi, type PayloadOf, Refusal } from '@carapace/api'
import { escrowSlot, orFirst, uuidOfKey } from '@carapace/chain'
import { type Log as DroppedLog, replacementsOf } from '../../chain-log.ts'
import type { Parts } from '../../parts.ts'
import { mayBeOn } from '../bound-contract.ts'
import { changeEscrow, ensureEscrow } from '../change-escrow.ts'
import { zeroAddress } from '../commands.ts'
import type { DirectLock, Escrow } from '../escrow.ts'
import { termsOf } from '../gig-row.ts'
import type { Result } from '../transition.ts'
import { acceptDirect, directLockLost } from './transitions.ts'

type Log = PayloadOf<ReturnType<typeof chainEvent>>

/** The lock that a log shows, and the gig it is for; undefined when it is none of ours. */
export function directLockOf({
  args,
  txHash,
  blockNumber,
  address: contract,
}: Pick<Log, 'args' | 'txHash' | 'blockNumber' | 'address'>): { gigId: string; lock: DirectLock } | undefined {
  const gigId = uuidOfKey(String(args.key))
  if (!gigId) return undefined
  return {
    gigId,
    lock: { poster: String(args.poster), payee: String(args.payee), amount: BigInt(String(args.amount)), txHash, blockNumber, contract },
  }
}

/** A lock counts when it is the budget, by the poster, for nobody else than the assignee, and the gig has not ended (behaviour 6.1). */
export function fits(escrow: Escrow, lock: DirectLock, posterWallet: string): boolean {
  const { status, amount, assignment, cancelled, verdict } = escrow
  const isPayeeRight = lock.payee === zeroAddress || lock.payee === assignment?.wallet
  return (
    status === 'none' &&
    !cancelled &&
    !verdict &&
    lock.poster === posterWallet &&
    lock.amount === amount &&
    amount <= limits.escrow.perGigMicro &&
    isPayeeRight
  )
}

/** A final EscrowLocked: the poster may have locked by itself. Our own locks are known as `funding` or later and stay as they are. */
export async function directLockSeen(parts: Parts, log: Pick<Log, 'network' | 'args' | 'txHash' | 'blockNumber' | 'address'>): Promise<void> {
  const found = directLockOf(log)
  if (!found) return
  const { gigId, lock } = found
  const escrow = (await parts.escrows.get(gigId)) ?? (await escrowOfGig(parts, gigId))
  if (escrow?.chain !== log.network || lock.poster !== (await parts.agents.need(escrow.posterId)).wallet) return
  const every = await parts.networks.everyContract(escrow.chain, 'escrow')
  await changeEscrow(parts, gigId, present => (mayBeOn(present, lock.contract, every) ? withDirectLock(present, lock, every) : undefined))
  await tryDirectLock(parts, gigId)
}

/**
 * A slot has one lock: the first that is seen counts, wherever its transaction is included later. One that waits in vain on another contract is its
 * depositor's.
 * @param every the contracts of the network, oldest first
 */
function withDirectLock(e: Escrow, seen: DirectLock, every: readonly string[]): Result | undefined {
  const { directLock, lock, status } = e
  const isElsewhere = directLock && status === 'none' && orFirst(every, directLock.contract) !== seen.contract
  if (!directLock || isElsewhere) return { state: { ...e, directLock: seen }, events: [] }
  const { txHash, blockNumber } = seen
  if (directLock.txHash !== txHash || directLock.blockNumber === blockNumber) return undefined
  const isAccepted = lock?.kind === 'onchain' && lock.onChain.txHash === txHash
  const moved = isAccepted ? { ...lock, onChain: { ...lock.onChain, blockNumber } } : lock
  return { state: { ...e, directLock: seen, lock: moved }, events: [] }
}

/** Accepts a direct lock that waits, if it fits. What does not fit remains its depositor's, who gets it back with `reclaim`. */
export async function tryDirectLock(parts: Parts, gigId: string): Promise<void> {
  const escrow = await parts.escrows.get(gigId)
  if (!escrow?.directLock || escrow.status !== 'none') return
  const { wallet } = await parts.agents.need(escrow.posterId)
  if (wallet === null) return
  const every = await parts.networks.everyContract(escrow.chain, 'escrow')
  const operationId = parts.newId()
  try {
    await changeEscrow(parts, gigId, present =>
      present.directLock && mayBeOn(present, present.directLock.contract, every) && fits(present, present.directLock, wallet)
        ? acceptDirect(present, operationId)
        : undefined,
    )
  } catch (error) {
    // one that would pass the cap is not accepted
    if (!(error instanceof Refusal && error.code === 'TVL_CAP_REACHED')) throw error
  }
}

/** The document of a gig, made from the marketplace's row if this is the first of it; undefined when there is no such gig. */
export async function escrowOfGig(parts: Parts, gigId: string): Promise<Escrow | undefined> {
  const row = await parts.peers.find('marketplace', marketplaceApi.internal.getGigRow, { params: { id: gigId } })
  return row && ensureEscrow(parts, termsOf(row))
}

/** The depositor reclaimed a direct lock: the slot is free for another one, and commands about this one will fail. */
export async function directLockReclaimed(parts: Parts, { network, args, txHash, address }: Log): Promise<void> {
  const every = await parts.networks.everyContract(network, 'escrow')
  const escrow = await parts.escrows.get(uuidOfKey(String(args.key)) ?? '')
  if (!escrow?.directLock || escrow.chain !== network || escrowSlot(escrow.id, escrow.directLock.poster) !== args.slot) return
  await changeEscrow(parts, escrow.id, present => {
    const { directLock } = present
    return directLock && orFirst(every, directLock.contract) === address
      ? { state: { ...present, directLock: null, reclaimed: { lock: directLock, txHash } }, events: [] }
      : undefined
  })
}

/** The block of a direct lock is dropped, and no other one has it: its acceptance is dropped too. */
export async function directLockDropped(parts: Parts, log: DroppedLog): Promise<void> {
  const found = directLockOf(log)
  const escrow = found && (await parts.escrows.get(found.gigId))
  if (!escrow || escrow.chain !== log.network || !directLockLost(escrow, log.txHash)) return
  if (await isStillOnChain(parts, log)) return
  await changeEscrow(parts, escrow.id, present => directLockLost(present, log.txHash))
}

/** The block in which a direct lock was reclaimed is dropped: the contract holds it again. */
export async function reclaimDropped(parts: Parts, log: DroppedLog): Promise<void> {
  const escrow = await parts.escrows.get(uuidOfKey(String(log.args.key)) ?? '')
  if (escrow?.reclaimed?.txHash !== log.txHash || escrow.chain !== log.network || (await isStillOnChain(parts, log))) return
  await changeEscrow(parts, escrow.id, present =>
    present.reclaimed?.txHash === log.txHash
      ? { state: { ...present, directLock: present.directLock ?? present.reclaimed.lock, reclaimed: null }, events: [] }
      : undefined,
  )
  await tryDirectLock(parts, escrow.id)
}

/** Whether the chain has the same event of this gig in another block, or still in that one. */
export async function isStillOnChain(parts: Parts, log: DroppedLog): Promise<boolean> {
  const shown = await replacementsOf(parts, log)
  return shown === undefined || shown.some(({ args }) => args.key === log.args.key && args.amount === log.args.amount)
}
