import { createHash } from 'node:crypto'
import type { ChainLog } from '@carapace/api'
import { Retry } from '@carapace/bus'
import { logIdentity, sentOnChain } from '@carapace/chain'
import { type MinedTransaction, transactionOf } from '@carapace/service'
import { isOfLane, type Log, replacementsOf } from '../../chain-log.ts'
import type { Parts } from '../../parts.ts'
import { type Move, newMove } from '../bond.ts'
import type { BondEvent } from '../bond-event.ts'
import { bondPlaces, boundTo, isNamed, stakeOn } from '../bound-contract.ts'
import { changeBond } from '../change-bond.ts'
import { makeDirectMove, reverseDirectMove } from './direct-decisions.ts'
import { followContract } from './follow-contract.ts'

type Direct = 'DEPOSIT' | 'WITHDRAW'

const typeOf: Readonly<Record<string, Direct>> = { BondDeposited: 'DEPOSIT', BondWithdrawn: 'WITHDRAW' }
const amountOf = ({ args }: Pick<ChainLog, 'args'>): bigint => BigInt(String(args.amount))
const addressOf = ({ args }: Pick<ChainLog, 'args'>, type: Direct): string => String(type === 'DEPOSIT' ? args.from : args.to)

/**
 * What an agent did on the contract itself: a final log is followed once, in any block its transaction is in; the same log with other content
 * replaces the earlier one. Our own transactions come from the lane.
 * @throws Retry while the transaction cannot be read, or what was built on a deposit has yet to fail
 */
export async function directMove(parts: Parts, log: Log): Promise<void> {
  const type = typeOf[log.event]
  const agent = type && (await parts.agents.byWallet(String(log.args.agent)))
  if (!agent) return
  const mined = await transactionOf(parts, log)
  if (!mined) throw new Retry(`${log.txHash} cannot be read yet`)
  if (await isOfLane(parts, log, mined)) return
  const { booked, nextId, isAgain } = await find(parts, agent.id, withPosition(log, mined))
  const amount = amountOf(log)
  // what was reversed counts again only in the block that the chain shows
  if (booked?.amount === amount || (isAgain && mined.blockHash !== log.blockHash)) return
  if (booked) await reverseBooked(parts, booked, log)
  const { txHash, blockNumber } = log
  const onChain: Move['onChain'] = { ...sentOnChain, status: 'confirmed', txHash, blockNumber }
  const places = await bondPlaces(parts, { chain: log.network })
  const now = parts.clock.now()
  const move = newMove({ id: nextId, type, amount, operationId: nextId, address: addressOf(log, type), onChain, at: now })
  // the chain was read before the change: a bond that was bound meanwhile is decided again
  const wasOnAnother = !isNamed((await parts.bonds.get(agent.id)) ?? {}, log.address, places)
  // what has left that contract since is no stake of the bond's
  const wallet = String(log.args.agent)
  const isThere = wasOnAnother && type === 'DEPOSIT' && (await stakeOn(parts, { chain: log.network, wallet }, log.address)).stake >= amount
  let [isUncounted, isShort] = [false, false]
  await changeBond(parts, agent.id, bond => {
    ;[isUncounted, isShort] = [false, false]
    if (bond.chain !== log.network) return undefined
    if (wasOnAnother === isNamed(bond, log.address, places)) throw new Retry('the bond was bound to another contract meanwhile')
    if (!wasOnAnother && blockNumber <= (bond.directAfter ?? -1)) return undefined
    const bound = wasOnAnother ? isThere && boundTo(bond, log.address, places, now) : bond
    isUncounted = !bound
    if (!bound) return undefined
    isShort = type === 'WITHDRAW' && amount > bound.free
    return isShort ? undefined : makeDirectMove(bound, move, now)
  })
  if (isShort) await followContract(parts, agent.id, log, move)
  if (isUncounted)
    parts.log.info(
      { agentId: agent.id, txHash, contract: log.address, amount: String(amount) },
      'stake on another contract is no part of the bond, and remains its depositor’s',
    )
}

/**
 * The chain has dropped the block of a direct deposit or withdrawal: reversed unless the chain shows the same log in another block.
 * @throws Retry while the chain shows it in that very block, or what was built on a deposit has yet to fail
 */
export async function directMoveDropped(parts: Parts, log: Log): Promise<void> {
  const type = typeOf[log.event]
  const agent = type && (await parts.agents.byWallet(String(log.args.agent)))
  if (!agent) return
  const shown = await replacementsOf(parts, log)
  const { booked } = await find(parts, agent.id, log)
  if (!shown || !booked || shown.some(one => amountOf(one) === booked.amount)) return
  await reverseBooked(parts, booked, log)
}

async function reverseBooked(parts: Parts, { id, agentId, eventType, amount }: BondEvent, log: Log): Promise<void> {
  const type = eventType as Direct
  const now = parts.clock.now()
  const move = newMove({ id, type, amount, operationId: id, address: addressOf(log, type), at: now })
  const places = await bondPlaces(parts, { chain: log.network })
  let hasLeft = false
  await changeBond(parts, agentId, bond => {
    hasLeft = !isNamed(bond, log.address, places)
    if (hasLeft) return undefined
    const made = reverseDirectMove(bond, move, now)
    if (made.state.free < 0n) throw new Retry('a reversed deposit waits for what was built on it to fail')
    return made
  })
  if (hasLeft)
    parts.log.error(
      { agentId, txHash: log.txHash, contract: log.address, amount: String(amount) },
      'what is reversed was on a contract that the bond has left',
    )
}

/**
 * Names the row of a direct move, or of an unlock by somebody else: the same in any block the log is in.
 * @param log published before positions were: named by its place in the block
 */
function rowIdOf({ network, txHash, blockNumber, logIndex, logPosition }: Log): string {
  if (logPosition === undefined) return `${network}-${blockNumber}-${txHash.slice(2, 18)}-${logIndex}`
  const identity = logIdentity({ network, txHash, logPosition })
  return `${network}-${createHash('sha256').update(identity).digest('hex').slice(0, 32)}`
}
const hasOldName = ({ id }: BondEvent): boolean => /^[A-Z_]+-\d+-[0-9a-f]{16}-\d+$/.test(id)

interface Found {
  booked?: BondEvent
  nextId: string
  isAgain: boolean
}

/** The current row of a log, if any, and the id that another one would have. A row that was reversed is followed by its contrary. */
export async function findRow({ bondHistory }: Parts, log: Log): Promise<Found> {
  const first = rowIdOf(log)
  for (let n = 1; ; n++) {
    const id = n === 1 ? first : `${first}-${n}`
    const row = await bondHistory.get(id)
    if (!row) return { nextId: id, isAgain: n > 1 }
    if (!(await isReversed(bondHistory, id))) return { booked: row, nextId: `${first}-${n + 1}`, isAgain: true }
  }
}
const isReversed = async (history: Parts['bondHistory'], id: string): Promise<boolean> => (await history.get(`${id}-undone`)) !== undefined

/** The same, rows of the time before positions were announced included. */
async function find(parts: Parts, agentId: string, log: Log): Promise<Found> {
  const { bondHistory } = parts
  const found = await findRow(parts, log)
  if (found.booked) return found
  const { nextId } = found
  const rows = await bondHistory.ofTransaction(agentId, log.txHash)
  const same = rows.filter(row => hasOldName(row) && row.eventType === typeOf[log.event] && row.amount === amountOf(log))
  for (const row of same) if (!(await isReversed(bondHistory, row.id))) return { booked: row, nextId, isAgain: true }
  return { nextId, isAgain: found.isAgain || same.length > 0 }
}

/** The position as the chain has it, where the published log does not have it. */
function withPosition(log: Log, mined: MinedTransaction): Log {
  const same = mined.blockHash === log.blockHash ? mined.logs.find(({ logIndex }) => logIndex === log.logIndex) : undefined
  const logPosition = log.logPosition ?? same?.logPosition
  return { ...log, ...(logPosition === undefined ? {} : { logPosition }) }
}
