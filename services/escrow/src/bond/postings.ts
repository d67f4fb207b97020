import { account, lossOf, type Posting, slashAccountOf } from '../ledger.ts'
import { type Bond, type BondLock, entryKeyOf, lockedOf, type Move, type MoveType, noBond } from './bond.ts'

/**
 * What a change of a bond means for the ledger: a pure function of the two states, so that no transition can forget it. The accounts of the stake follow
 * its figures; their counterpart follows from where the commands are. The ledger refuses an entry whose two halves differ.
 */
export function bondPostings(before: Bond | undefined, after: Bond): Posting[] {
  const was = before ?? noBond(after)
  const causes = [...moved(was, after), ...unlocked(was, after), ...locked(was, after)]
  const lines = linesOf([
    [account.bondFree(after.id), after.free - was.free],
    [account.bondLocked(after.id), lockedOf(after) - lockedOf(was)],
    ...causes.flatMap(({ counterpart = [] }) => counterpart),
  ])
  // a lock that is replaced moves nothing, nor does the end of one that was slashed to nothing
  if (lines.length === 0) return []
  const [cause] = causes
  if (!cause) throw new Error(`the stake of bond ${after.id} has changed without a command`)
  const { counterpart, ...entry } = cause
  return [{ ...entry, ref: { type: 'bond', id: after.id }, lines }]
}

/** Credits less debits of an account, micro-USDC. */
type Balance = [account: string, change: bigint]

interface Cause extends Pick<Posting, 'key' | 'txHash' | 'drawsOn'> {
  /** What changes outside the stake. */
  counterpart?: Balance[]
}

function linesOf(changes: Balance[]): Posting['lines'] {
  const net = new Map<string, bigint>()
  for (const [name, change] of changes) net.set(name, (net.get(name) ?? 0n) + change)
  return [...net]
    .filter(([, change]) => change !== 0n)
    .map(([name, change]) => ({ account: name, debit: change < 0n ? -change : 0n, credit: change > 0n ? change : 0n }))
}

/** Where the money of a command is: where it came from, on its way, or where it went. */
type Place = 'source' | 'transit' | 'target'

/** Where the money of custodial deposits comes from is treasury's side of the entry. */
const depositSource = ({ id, isCustodial, address }: Move): string =>
  isCustodial ? account.clearing(`bond.deposit:${id}`) : account.outside(address)

/** The account of each place; null is the stake. */
const accounts: Record<MoveType, (move: Move, pool: string) => Record<Place, string | null>> = {
  DEPOSIT: move => ({ source: depositSource(move), transit: depositSource(move), target: null }),
  WITHDRAW: ({ id, address }) => ({ source: null, transit: account.transit(id), target: account.outside(address) }),
  SLASH: ({ id }, pool) => ({ source: null, transit: account.transit(id), target: pool }),
  SLASH_REVERSED: ({ id }, pool) => ({ source: pool, transit: account.transit(id), target: null }),
}

interface Placed {
  place: Place
  move: Move
}

/** The commands that a bond has, by the ids of their bond events. */
function placesIn({ moves, done, direct }: Bond): Map<string, Placed> {
  const remembered = done.flatMap((one): Placed[] => {
    if ('move' in one) return [{ place: 'target', move: one.move }]
    return 'failedMove' in one ? [{ place: 'source', move: one.failedMove }] : []
  })
  const underWay = moves.map((move): Placed => ({ place: 'transit', move }))
  const byAgent: Placed[] = direct ? [{ place: direct.isReversed ? 'source' : 'target', move: direct.move }] : []
  return new Map([...remembered, ...underWay, ...byAgent].map(placed => [placed.move.id, placed]))
}

/** The commands that have another place than before. */
function moved(was: Bond, is: Bond): Cause[] {
  const [before, after] = [placesIn(was), placesIn(is)]
  // what was reversed had been made, also where that is forgotten
  const changes = [...after.values()].map(
    ({ place, move }) => [before.get(move.id)?.place ?? (place === 'source' ? 'target' : 'source'), place, move] as const,
  )
  // what was done is forgotten later; a deposit that treasury refused is forgotten immediately
  const refused = was.moves.filter(({ id }) => !after.has(id)).map(move => ['transit', 'source', move] as const)
  return [...changes, ...refused].filter(([from, to]) => from !== to).map(([from, to, move]) => causeOf(from, to, move, slashAccountOf(is)))
}

const names: Record<MoveType, Record<Exclude<Place, 'source'>, string>> = {
  // nothing is reserved for a deposit: it is one entry
  DEPOSIT: { transit: 'bond-deposit', target: 'bond-deposit' },
  WITHDRAW: { transit: 'bond-withdraw', target: 'bond-withdrawn' },
  SLASH: { transit: 'bond-slash', target: 'bond-slashed' },
  SLASH_REVERSED: { transit: 'bond-unslash', target: 'bond-unslashed' },
}

function causeOf(from: Place, to: Place, move: Move, pool: string): Cause {
  const { id, type, amount, onChain } = move
  const { [from]: source, [to]: target } = accounts[type](move, pool)
  // the pool may have spent what nobody has reserved there: what it holds of it remains, against a loss
  const payer = source === pool && to !== 'transit' ? lossOf(pool) : source
  const counterpart: Balance[] = []
  if (payer !== null) counterpart.push([payer, -amount])
  if (target !== null) counterpart.push([target, amount])
  if (to === 'target') return { key: `${names[type].target}:${entryKeyOf(id, move)}`, txHash: onChain.txHash, counterpart }
  if (to === 'transit') return { key: `${names[type].transit}:${id}`, txHash: null, counterpart, ...(payer === pool ? { drawsOn: pool } : {}) }
  return { key: from === 'transit' ? `bond-failed:${id}` : `bond-undone:${entryKeyOf(id, move)}`, txHash: null, counterpart }
}

/** The locks that have ended: unlocked, or failed. */
function unlocked(was: Bond, is: Bond): Cause[] {
  return was.locks
    .filter(lock => !holds(is, lock))
    .map(lock => {
      const key = entryKeyOf(lock.lockId, lock)
      const done = is.done.find(one => 'unlocked' in one && one.unlocked.lockId === lock.lockId)
      if (!done || !('unlocked' in done)) return { key: `bond-lock-failed:${key}`, txHash: null }
      const { unlockId, unlockOnChain } = done.unlocked
      const isOurs = done.id === unlockId
      return { key: `bond-unlocked:${key}:${isOurs ? unlockOnChain!.seq : done.id}`, txHash: (isOurs ? unlockOnChain!.txHash : done.txHash) ?? null }
    })
}

/** The locks that the bond did not have: requested, made after their failure, or back since their unlock was reversed. */
function locked(was: Bond, is: Bond): Cause[] {
  return is.locks
    .filter(lock => !holds(was, lock))
    .map(lock => {
      const key = entryKeyOf(lock.lockId, lock)
      const done = was.done.find(one => 'unlocked' in one && one.unlocked.lockId === lock.lockId)
      if (done) return { key: `bond-unlock-undone:${key}:${done.id === lock.unlockId ? lock.unlockOnChain!.seq : done.id}`, txHash: null }
      return { key: lock.lateSeq === undefined ? `bond-lock:${lock.lockId}` : `bond-lock-late:${key}`, txHash: null }
    })
}

const holds = ({ locks }: Bond, { lockId }: BondLock): boolean => locks.some(lock => lock.lockId === lockId)
