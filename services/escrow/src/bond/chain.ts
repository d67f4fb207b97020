import { type ChainLog, chainCommandConfirmed, chainCommandFailed, chainEvent, chainRelayerApi, type PayloadOf } from '@carapace/api'
import { Retry } from '@carapace/bus'
import { onChainKey, uuidOfKey } from '@carapace/chain'
import { on, type Subscription } from '@carapace/service'
import { sum } from '../amounts.ts'
import { account } from '../ledger.ts'
import type { Parts } from '../parts.ts'
import { type Bond, type Move, reduceLocks } from './bond.ts'
import { changeBond } from './keep.ts'
import { confirmLock, confirmMove, confirmUnlock, failLock, type OnChain, type Outcome, outcome, posting } from './outcome.ts'
import { endLock, failMove, unlockFailed } from './request.ts'
import { closeLockOf } from './verdict.ts'

type Confirmed = PayloadOf<typeof chainCommandConfirmed>
type Failed = PayloadOf<typeof chainCommandFailed>
type Log = PayloadOf<ReturnType<typeof chainEvent>>

export const bondChain = (parts: Parts): Subscription[] => [
  on(chainCommandConfirmed, async event => (event.kind.startsWith('bond.') ? confirmed(parts, event) : undefined)),
  on(chainCommandFailed, async event => (event.terminal && event.kind.startsWith('bond.') ? failed(parts, event) : undefined)),
  on(chainEvent('Bond', 'BondDeposited'), log => direct(parts, log, 'DEPOSIT')),
  on(chainEvent('Bond', 'BondWithdrawn'), log => direct(parts, log, 'WITHDRAW')),
  on(chainEvent('Bond', 'BondUnlocked'), log => unlockedOutside(parts, log)),
]

const idOf = (opKey: string): string => opKey.split(':')[1]!

async function confirmed(parts: Parts, event: Confirmed): Promise<void> {
  const id = idOf(event.opKey)
  const waiting = await parts.bonds.waitingFor(id)
  if (!waiting) return
  const at = { txHash: event.txHash, blockNumber: event.blockNumber }
  const now = parts.clock.now()
  await changeBond(parts, waiting.id, bond => {
    const move = bond.moves.find(known => known.id === id)
    if (move) return confirmMove[move.type](move.type === 'SLASH' ? asTaken(bond, move, event.logs) : bond, move, at, now)
    const lock = bond.locks.find(({ lockId, unlockId }) => lockId === id || unlockId === id)
    if (!lock) return undefined
    if (lock.unlockId === id) return confirmUnlock(bond, lock, id, at.txHash, now)
    return lock.stage === 'locking' ? lockConfirmed(bond, lock, at, now, parts.newId) : undefined
  })
  const lock = (await parts.bonds.get(waiting.id))?.locks.find(({ lockId }) => lockId === id)
  if (lock) await closeLockOf(parts, lock.gigId)
}

function lockConfirmed(bond: Bond, lock: Bond['locks'][number], at: OnChain, now: Date, newId: () => string): Outcome {
  const locked = confirmLock(bond, lock, at, now)
  if (!lock.isOver) return locked
  const ended = endLock(locked.state, lock.gigId, newId())
  return ended ? { ...ended, events: [...locked.events, ...ended.events], history: locked.history } : locked
}

/** The contract walks the locks in its own order: what it says it took from which is what counts. */
function asTaken(bond: Bond, { taken }: Move, logs: readonly ChainLog[]): Bond {
  const actual = logs
    .filter(({ event, args }) => event === 'BondLockReduced' && args.agent === bond.wallet)
    .flatMap(({ args }) =>
      bond.locks.filter(({ gigId }) => onChainKey(gigId) === args.gigId).map(({ gigId }) => ({ gigId, amount: BigInt(String(args.amount)) })),
    )
  const all = (parts: Move['taken']) => sum(parts.map(({ amount }) => amount))
  return all(actual) === all(taken) ? reduceLocks(reduceLocks(bond, taken, 1n), actual, -1n) : bond
}

async function failed(parts: Parts, { opKey, round, code }: Failed): Promise<void> {
  const id = idOf(opKey)
  const waiting = await parts.bonds.waitingFor(id)
  if (!waiting) return
  let slash: Move | undefined
  await changeBond(parts, waiting.id, bond => {
    const move = bond.moves.find(known => known.id === id)
    if (move) {
      slash = move.type === 'SLASH' ? move : undefined
      return failMove(bond, move)
    }
    const lock = bond.locks.find(({ lockId, unlockId }) => lockId === id || unlockId === id)
    if (!lock) return undefined
    if (lock.unlockId === id) return round >= lock.unlockRound ? unlockFailed(bond, lock.gigId, round, parts.clock.now()) : undefined
    return lock.stage === 'locking' ? failLock(bond, lock, code) : undefined
  })
  if (slash) await parts.slashes.failed(slash.id)
}

/** What an agent did on the contract itself: taken over once it is final, under the log's own id. Our own transactions come from the lane. */
async function direct(parts: Parts, log: Log, type: 'DEPOSIT' | 'WITHDRAW'): Promise<void> {
  const agent = log.final ? await parts.agents.byWallet(String(log.args.agent)) : undefined
  if (!agent || (await isOurs(parts, log))) return
  const amount = BigInt(String(log.args.amount))
  const address = String(type === 'DEPOSIT' ? log.args.from : log.args.to)
  const id = logKey(log)
  if (await parts.bondHistory.get(id)) return
  const move: Move = { ...outside, id, type, amount, operationId: id, address, at: parts.clock.now() }
  await changeBond(parts, agent.id, bond => {
    if (bond.chain !== log.network) return undefined
    if (type === 'DEPOSIT') return confirmMove.DEPOSIT(bond, move, log, parts.clock.now())
    // what is reserved for a command that cannot succeed any more comes back with its failure
    if (amount > bond.free) throw new Retry('a direct withdrawal waits for reservations to end')
    const taken = outcome({ ...bond, free: bond.free - amount })
    const done = confirmMove.WITHDRAW(taken.state, move, log, parts.clock.now())
    const reserve = posting(bond.id, `bond-withdraw:${id}`, account.bondFree(bond.id), account.transit(id), amount)
    return { ...done, postings: [reserve, ...done.postings] }
  })
}
const outside = {
  slashId: null,
  stage: 'sent' as const,
  isCustodial: false,
  taken: [],
  gigId: null,
  reason: null,
  validationId: null,
  by: 'oracle' as const,
}
/** Block hash and index name a log for ever. */
const logKey = ({ network, blockNumber, txHash, logIndex }: Log): string => `${network}-${blockNumber}-${txHash.slice(2, 18)}-${logIndex}`

async function isOurs(parts: Parts, { network, txHash }: Log): Promise<boolean> {
  const params = { chain: network }
  const [{ from }, { lane }] = await Promise.all([
    parts.peers.call('chain-relayer', chainRelayerApi.internal.chainTx, { params: { ...params, hash: txHash } }),
    parts.peers.call('chain-relayer', chainRelayerApi.internal.chainStatus, { params }),
  ])
  return from.toLowerCase() === lane.address.toLowerCase()
}

/** After 180 days anybody may unlock: the log of it ends the lock here too. One of an earlier lock of the gig does not. */
async function unlockedOutside(parts: Parts, log: Log): Promise<void> {
  const gigId = uuidOfKey(String(log.args.gigId))
  const agent = log.final && gigId ? await parts.agents.byWallet(String(log.args.agent)) : undefined
  const known = agent && (await parts.bonds.get(agent.id))
  if (!known?.locks.some(lock => lock.gigId === gigId && lock.stage === 'locked')) return
  await changeBond(parts, known.id, bond => {
    const lock = bond.locks.find(held => held.gigId === gigId && held.stage === 'locked')
    if (!lock || bond.chain !== log.network || lock.blockNumber === null || log.blockNumber <= lock.blockNumber) return undefined
    return confirmUnlock(bond, lock, logKey(log), log.txHash, parts.clock.now())
  })
}
