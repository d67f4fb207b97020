import { type chainEvent, limits, marketplaceApi, type PayloadOf, Refusal } from '@carapace/api'
import { escrowSlot, uuidOfKey } from '@carapace/chain'
import type { Parts } from '../parts.ts'
import { zeroAddress } from './change.ts'
import type { DirectLock, Escrow } from './escrow.ts'
import { changeEscrow, ensureEscrow } from './keep.ts'
import { acceptDirect } from './locking.ts'

type Log = PayloadOf<ReturnType<typeof chainEvent>>

/** The lock that a log tells of, and the gig it is for; undefined when it is none of ours. */
export function directLockOf({
  args,
  txHash,
  blockNumber,
}: Pick<Log, 'args' | 'txHash' | 'blockNumber'>): { gigId: string; lock: DirectLock } | undefined {
  const gigId = uuidOfKey(String(args.key))
  if (!gigId) return undefined
  return { gigId, lock: { poster: String(args.poster), payee: String(args.payee), amount: BigInt(String(args.amount)), txHash, blockNumber } }
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
export async function directLockSeen(parts: Parts, log: Pick<Log, 'network' | 'args' | 'txHash' | 'blockNumber'>): Promise<void> {
  const found = directLockOf(log)
  if (!found) return
  const { gigId, lock } = found
  const escrow = (await parts.escrows.get(gigId)) ?? (await learnGig(parts, gigId))
  if (escrow?.chain !== log.network || lock.poster !== (await parts.agents.need(escrow.posterId)).wallet) return
  await changeEscrow(parts, gigId, present => (present.directLock ? undefined : { state: { ...present, directLock: lock }, events: [] }))
  await tryDirectLock(parts, gigId)
}

/** Accepts a direct lock that waits, if it fits. What does not fit stays its depositor's, who takes it back with `reclaim`. */
export async function tryDirectLock(parts: Parts, gigId: string): Promise<void> {
  const escrow = await parts.escrows.get(gigId)
  if (!escrow?.directLock || escrow.status !== 'none') return
  const { wallet } = await parts.agents.need(escrow.posterId)
  if (wallet === null) return
  const operationId = parts.newId()
  try {
    await changeEscrow(parts, gigId, present =>
      present.directLock && fits(present, present.directLock, wallet) ? acceptDirect(present, operationId) : undefined,
    )
  } catch (error) {
    // one that would pass the cap is not accepted
    if (!(error instanceof Refusal && error.code === 'TVL_CAP_REACHED')) throw error
  }
}

/** The document of a gig of which nothing was heard yet, from its owner; undefined when there is no such gig. */
export async function learnGig(parts: Parts, gigId: string): Promise<Escrow | undefined> {
  const row = await parts.peers.find('marketplace', marketplaceApi.internal.getGigRow, { params: { id: gigId } })
  if (!row) return undefined
  const { gigTitle, posterId, budget, chain, skillsRequired } = row
  return ensureEscrow(parts, { gigId, gigTitle, posterId, amount: BigInt(budget), chain, skillsRequired })
}

/** The depositor took a direct lock back: the slot is free for another one, and what is asked of this one will fail. */
export async function directLockGone(parts: Parts, { network, args }: Log): Promise<void> {
  const escrow = await parts.escrows.get(uuidOfKey(String(args.key)) ?? '')
  if (!escrow?.directLock || escrow.chain !== network || escrowSlot(escrow.id, escrow.directLock.poster) !== args.slot) return
  await changeEscrow(parts, escrow.id, present => ({ state: { ...present, directLock: null }, events: [] }))
}
