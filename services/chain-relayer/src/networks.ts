import { setTimeout as sleep } from 'node:timers/promises'
import type { Chain } from '@carapace/api'
import { type ContractName, commandOf, contractInterface, toChecksum } from '@carapace/chain'
import type { Platform } from '@carapace/service'
import { holdContracts } from './chain/hold-contracts.ts'
import { needUsable } from './chain/need-usable.ts'
import { inspectNetwork, type Network } from './chain/network.ts'
import { openReads, type Reads } from './chain/reads.ts'
import { type LaneConfig, laneConfigs } from './configuration.ts'
import { type Custody, localSigner } from './custody/custody.ts'
import { announcer } from './lane/announce.ts'
import type { Collections } from './lane/collections.ts'
import { confirmationTimer } from './lane/confirmation-timer.ts'
import { needRolesOfKey } from './lane/keys/key-roles.ts'
import { laneIdOf, retiringPartsOf } from './lane/keys/retiring-parts.ts'
import { needKeysOfStored } from './lane/keys/unknown-keys.ts'
import type { LaneParts } from './lane/lane.ts'
import { aloneTimings, defaultTimings } from './lane/timings.ts'
import { bestUrl, openRpc } from './rpc/open.ts'
import { type Rpc, RpcUnavailable } from './rpc/rpc.ts'

/** One configured network: how to read it and what its lane is made of. */
export interface NetworkParts {
  network: Network
  timelock: string | null
  reads: Reads
  parts: LaneParts
  /** The lane of the former key, while keys are exchanged. */
  retiring: LaneParts | undefined
  close(): Promise<void>
}
export type Networks = ReadonlyMap<Chain, NetworkParts>

const patienceMs = 5_000
const devnetFuel = 10n ** 21n

/**
 * Opens every configured network and compares it with the configuration and with the contracts of the database.
 * @throws WrongNetwork, or RpcUnavailable where nothing is waited for and a node does not answer within 5 s
 */
export async function openNetworks(platform: Platform, db: Collections, custody: Custody): Promise<Networks> {
  const configs = await laneConfigs(platform.config, platform.prerequisites)
  const timer = confirmationTimer(platform.metrics)
  const opened = await Promise.all(configs.map(config => openNetwork(config, platform, db, custody, timer(config.chain))))
  return new Map(opened.map(one => [one.network.chain, one]))
}

async function openNetwork(
  config: LaneConfig,
  platform: Platform,
  db: Collections,
  custody: Custody,
  onConfirmed: LaneParts['onConfirmed'],
): Promise<NetworkParts> {
  const signer = localSigner(config.key)
  const former = config.retiringKey === undefined ? undefined : localSigner(config.retiringKey)
  const senders = [signer, ...(former ? [former] : [])].map(({ address }) => address)
  const { network, rpc, readRpc, close } = await platform.prerequisites.open(config.chain, () => reach(config, senders), isUnreachable)
  const view = viewOf(network, rpc)
  const parts: LaneParts = {
    id: laneIdOf(config.chain, signer),
    ...(former ? { retiring: { id: laneIdOf(config.chain, former), signer: former } } : {}),
    network,
    rpc,
    signer,
    custody,
    watchedWallets: incomeWallets(platform.config),
    db,
    timings: { ...defaultTimings, ...(platform.db.exclusive ? aloneTimings : {}) },
    isAlone: platform.db.exclusive,
    announce: announcer(platform.bus, () => platform.clock.now()),
    commandOf,
    log: platform.log,
    batchSize: 50,
    failPoint: () => {},
    onConfirmed,
  }
  const usable = async (names: readonly ContractName[]) => {
    for (const name of names) await needUsable(network, name, signer.address, view)
  }
  const check = async () => {
    await holdContracts(network, db.contracts, usable)
    await needKeysOfStored(parts)
    await needRolesOfKey(parts)
  }
  await check().catch(async (error: Error) => {
    await close()
    throw error
  })
  return { network, timelock: config.timelock, reads: openReads(network, readRpc), parts, retiring: retiringPartsOf(parts), close }
}

const viewOf =
  ({ addresses }: Network, rpc: Rpc) =>
  async (name: ContractName, fn: string, args: readonly unknown[]): Promise<readonly unknown[]> => {
    const abi = contractInterface(name)
    const data = abi.encodeFunctionData(fn, args)
    return abi.decodeFunctionResult(fn, String(await rpc.call('eth_call', [{ to: addresses[name], data }, 'latest'])))
  }

const isUnreachable = (error: unknown): boolean => error instanceof RpcUnavailable

interface Reached {
  network: Network
  rpc: Rpc
  readRpc: Rpc
  close(): Promise<void>
}

/** @param senders whose gas a devnet pays */
async function reach(config: LaneConfig, senders: readonly string[]): Promise<Reached> {
  const url = await bestUrl(config.rpcUrl)
  const rpc = openRpc({ url, timeoutMs: defaultTimings.rpcTimeoutMs })
  // Reads of other services have a connection of their own: they must not wait for batches of transactions.
  const readRpc = openRpc({ url, timeoutMs: defaultTimings.readTimeoutMs })
  const close = async () => {
    await Promise.all([rpc.close(), readRpc.close()])
  }
  try {
    const devnet = /anvil/i.test(String(await firstAnswer(rpc)))
    const network = await inspectNetwork({ ...config, devnet }, rpc)
    // Also where gas is free: the lane gives new agents their sFUEL.
    if (devnet) for (const sender of senders) await refuel(rpc, sender)
    return { network, rpc, readRpc, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Sold reads may be paid to an address whose key is nowhere here; zero says that nothing is sold. */
const incomeWallets = ({ X402_PAY_TO_ADDRESS }: Platform['config']): string[] =>
  X402_PAY_TO_ADDRESS === undefined || /^0x0{40}$/.test(X402_PAY_TO_ADDRESS) ? [] : [toChecksum(X402_PAY_TO_ADDRESS)]

/** The node may start together with this process. */
async function firstAnswer(rpc: Rpc): Promise<unknown> {
  const end = Date.now() + patienceMs
  for (;;) {
    try {
      return await rpc.call('web3_clientVersion', [])
    } catch (error) {
      if (!(error instanceof RpcUnavailable) || Date.now() > end) throw error
      await sleep(50)
    }
  }
}

/** On a devnet the lane's money for gas and drips costs nothing. */
async function refuel(rpc: Rpc, address: string): Promise<void> {
  const balance = BigInt(String(await rpc.call('eth_getBalance', [address, 'latest'])))
  if (balance < devnetFuel / 10n) await rpc.call('anvil_setBalance', [address, `0x${devnetFuel.toString(16)}`])
}
