import { getAddress, toBeHex, Wallet, ZeroHash } from 'ethers'
import { interfaceOf } from '../artifact.ts'
import { isCodeOf } from '../deploy/code.ts'
import type { Addressed, Replaced } from '../deploy/replacement.ts'
import { call, callAll } from '../deploy/rpc.ts'
import { sendMined } from '../deploy/send.ts'
import { type LaneRole, laneRoles } from './lane-roles.ts'
import { pendingOperations } from './pending-operations.ts'

export type RoleAction = 'grant' | 'revoke'

export interface RoleChange {
  rpcUrl: string
  action: RoleAction
  /** The address of a relayer key. */
  address: string
  /** The file of the network's contracts, its replaced ones included. */
  present: Addressed
  /** Private key of a funded proposer of the timelock; without it nothing is sent. */
  proposerKey?: string | undefined
}

/** How far the change is: it needs two runs, with the delay of the timelock between them. */
export interface RoleProgress {
  /** unscheduled: nothing was sent, for want of a key; done: nothing is left to change or cancel. */
  state: 'unscheduled' | 'scheduled' | 'done'
  /** When it can be executed, ISO 8601; null when it is not scheduled. */
  dueAt: string | null
  /** What it changes, or changed in this run. @example ['OPERATOR on Escrow 0x…'] */
  roles: string[]
  /** The call that a proposer which is a contract has to make; absent when it is made or not due. */
  call?: { to: string; data: string }
}

/** Of a timelock's operation: not scheduled, and executed. Any other number is when it is due, Unix seconds. */
const [unset, executed] = [0, 1]
const gasFactor = 2n

/**
 * Gives a relayer key all roles that it needs, or removes all that it has, through the timelock: schedules the change, and executes it in a run after
 * its delay. What else is scheduled for the roles of this key is cancelled: anybody could execute it. A run that finds nothing to change sends nothing.
 * @throws Error on another chain id, or when a transaction reverts
 */
export async function advanceRoleChange(change: RoleChange): Promise<RoleProgress> {
  const { rpcUrl, present, action } = change
  const id = Number(await call<string>(rpcUrl, 'eth_chainId'))
  if (id !== present.chainId) throw new Error(`the node has chain id ${id}, not ${present.chainId}`)
  const places = await placesToChange(change)
  const roles = places.map(({ role, contract, at }) => `${role} on ${contract} ${at}`)
  const operation = places.length === 0 ? undefined : await operationOf(change, places)
  for (const pending of await pendingOperations(change)) {
    if (pending === operation?.id) continue
    const next = callOf(change, 'cancel', [pending])
    // one call a run: the next run finds the next one
    if (!change.proposerKey) return { state: 'unscheduled', dueAt: null, roles, call: next }
    await send(change, next, `the cancellation of ${pending}`)
  }
  if (!operation) return { state: 'done', dueAt: null, roles }
  if (operation.dueAt === unset) {
    const next = callOf(change, 'scheduleBatch', [...operation.batch, operation.delay])
    if (!change.proposerKey) return { state: 'unscheduled', dueAt: null, roles, call: next }
    await send(change, next, `the schedule of ${action}`)
    return { state: 'scheduled', dueAt: isoOf((await operationOf(change, places)).dueAt), roles }
  }
  const { timestamp } = await call<{ timestamp: string }>(rpcUrl, 'eth_getBlockByNumber', 'latest', false)
  const scheduled = { state: 'scheduled', dueAt: isoOf(operation.dueAt), roles } as const
  if (Number(timestamp) < operation.dueAt) return scheduled
  const next = callOf(change, 'executeBatch', operation.batch)
  if (!change.proposerKey) return { ...scheduled, call: next }
  await send(change, next, action)
  return { state: 'done', dueAt: null, roles }
}

interface Place extends LaneRole {
  at: string
}

/** Roles that the address lacks, or has, by the change. */
async function placesToChange({ rpcUrl, action, address, present }: RoleChange): Promise<Place[]> {
  const { addresses, former } = present
  const isDevnet = addresses.DevUSDC !== undefined && (await isFaucet(rpcUrl, addresses.DevUSDC))
  const places = laneRoles(isDevnet ? 'devnet' : 'real').flatMap(role => {
    const earlier = former?.[role.contract as Replaced] ?? []
    return [...earlier, addresses[role.contract]].map((at): Place => ({ ...role, at: getAddress(at) }))
  })
  const answers = await callAll(
    rpcUrl,
    places.map(({ contract, hash, at }) => [
      'eth_call',
      { to: at, data: interfaceOf(contract).encodeFunctionData('hasRole', [hash, address]) },
      'latest',
    ]),
  )
  return places.filter((_, index) => (Number(answers[index]) === 1) === (action === 'revoke'))
}

/** The devnet's token has roles of ours; a real network's token is another contract. */
const isFaucet = async (rpcUrl: string, at: string): Promise<boolean> => isCodeOf('DevUSDC', await call<string>(rpcUrl, 'eth_getCode', at, 'latest'))

interface Operation {
  id: string
  /** Arguments of the timelock that name it. */
  batch: unknown[]
  /** Unix seconds, or `unset`. */
  dueAt: number
  delay: bigint
}

/** The first of the equal operations that was not executed: an address may get its roles again. */
async function operationOf(change: RoleChange, places: readonly Place[]): Promise<Operation> {
  const { action, address } = change
  const fn = action === 'grant' ? 'grantRole' : 'revokeRole'
  const data = places.map(({ contract, hash }) => interfaceOf(contract).encodeFunctionData(fn, [hash, address]))
  const [delay] = await view(change, 'getMinDelay', [])
  for (let n = 0; ; n++) {
    const batch = [places.map(({ at }) => at), places.map(() => 0), data, ZeroHash, toBeHex(n, 32)]
    const [id] = await view(change, 'hashOperationBatch', batch)
    const [dueAt] = await view(change, 'getTimestamp', [id])
    if (Number(dueAt) !== executed) return { id: id as string, batch, dueAt: Number(dueAt), delay: delay as bigint }
  }
}

const callOf = ({ present }: RoleChange, fn: string, args: readonly unknown[]) => ({
  to: present.addresses.Timelock,
  data: interfaceOf('Timelock').encodeFunctionData(fn, args),
})

async function view(change: RoleChange, fn: string, args: readonly unknown[]): Promise<readonly unknown[]> {
  const answer = await call<string>(change.rpcUrl, 'eth_call', callOf(change, fn, args), 'latest')
  return interfaceOf('Timelock').decodeFunctionResult(fn, answer)
}

async function send({ rpcUrl, proposerKey, present }: RoleChange, next: { to: string; data: string }, name: string): Promise<void> {
  const wallet = new Wallet(proposerKey!)
  const [gas, count] = await callAll(rpcUrl, [
    ['eth_estimateGas', { from: wallet.address, ...next }],
    ['eth_getTransactionCount', wallet.address, 'latest'],
  ])
  const gasLimit = BigInt(gas as string) * gasFactor
  await sendMined(rpcUrl, wallet, { chainId: present.chainId, nonce: Number(count), gasLimit, ...next }, name)
}

const isoOf = (seconds: number): string => new Date(seconds * 1_000).toISOString()
