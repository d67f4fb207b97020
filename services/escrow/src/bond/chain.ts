import { chainCommandConfirmed, chainCommandFailed, chainEvent, chainRelayerApi, type PayloadOf } from '@carapace/api'
import { Retry } from '@carapace/bus'
import { operationParts, uuidOfKey } from '@carapace/chain'
import { on, type Subscription } from '@carapace/service'
import { account } from '../ledger.ts'
import type { Parts } from '../parts.ts'
import { type Bond, newMove } from './bond.ts'
import { type Heard, hear } from './heard.ts'
import { changeBond } from './keep.ts'
import { confirmMove, confirmUnlock, outcome, posting } from './outcome.ts'

type Log = PayloadOf<ReturnType<typeof chainEvent>>

export const bondChain = (parts: Parts): Subscription[] => [
  on(chainCommandConfirmed, async event => (isOfBond(event) ? hearOf(parts, { is: 'confirmed', id: idOf(event.opKey), ...event }) : undefined)),
  on(chainCommandFailed, async event =>
    event.terminal && isOfBond(event) ? hearOf(parts, { is: 'failed', id: idOf(event.opKey), ...event }) : undefined,
  ),
  on(chainEvent('Bond', 'BondDeposited'), log => direct(parts, log, 'DEPOSIT')),
  on(chainEvent('Bond', 'BondWithdrawn'), log => direct(parts, log, 'WITHDRAW')),
  on(chainEvent('Bond', 'BondUnlocked'), log => unlockedOutside(parts, log)),
]

const isOfBond = ({ kind }: { kind: string }): boolean => kind.startsWith('bond.')
const idOf = (opKey: string): string => operationParts(opKey)[1]

async function hearOf(parts: Parts, heard: Heard): Promise<void> {
  const waiting = await parts.bonds.waitingFor(heard.id)
  if (!waiting) return
  let before: Bond | undefined
  const after = await changeBond(parts, waiting.id, bond => {
    before = bond
    const made = hear(bond, heard, parts.clock.now(), parts.newId)
    if (made && made.state.free < 0n) throw new Retry('an undone deposit waits for what was built on it to fail')
    return made
  })
  await tellSlash(parts, before!, after, heard)
}

/** A slash that failed is dropped; one whose reversal is undone stands again. An undone slash is told as reversed. */
async function tellSlash({ slashes }: Parts, before: Bond, after: Bond, { id, is }: Heard): Promise<void> {
  if (is === 'confirmed') return
  if (before.moves.some(move => move.id === id && move.type === 'SLASH')) await slashes.failed(id)
  const undone = before.done.find(done => done.id === id && after.done.every(known => known.id !== id))
  if (undone && 'move' in undone && undone.move.type === 'SLASH_REVERSED') await slashes.become(undone.move.slashId!, () => ({ status: 'APPLIED' }))
}

/** What an agent did on the contract itself: taken over once it is final, under the log's own id. Our own transactions come from the lane. */
async function direct(parts: Parts, log: Log, type: 'DEPOSIT' | 'WITHDRAW'): Promise<void> {
  const agent = log.final ? await parts.agents.byWallet(String(log.args.agent)) : undefined
  if (!agent || (await isOurs(parts, log))) return
  const amount = BigInt(String(log.args.amount))
  const address = String(type === 'DEPOSIT' ? log.args.from : log.args.to)
  const id = logKey(log)
  if (await parts.bondHistory.get(id)) return
  const move = newMove({ id, type, amount, operationId: id, address, at: parts.clock.now() })
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

/** Names a final log for ever. */
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
