import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { type Chain, chains } from '@carapace/api'
import { networks } from '@carapace/chain'
import { checkDevnet, type Deployment, deployDevnet, writeAddresses } from '@carapace/contracts'
import { type Devnet, startDevnets } from '@carapace/devnet'
import { computeAddress } from 'ethers'
import type { Keys } from './keys.ts'

export interface Devnets {
  /** Variables by which every other part finds the networks, as an operator would set them. */
  environment: Record<string, string>
  rpcUrls: Record<Chain, string>
  /** The nodes' processes. */
  processes: { name: string; pid(): number }[]
  close(): Promise<void>
}

/** Both devnets with all contracts, stored in the data folder. */
export async function startNetworks(
  dataDir: string,
  ports: readonly [number, number],
  keys: Keys,
  baseUrl: string,
  log: (message: string) => void,
): Promise<Devnets> {
  const operator = computeAddress(keys.relayer)
  const admin = computeAddress(keys.oracle)
  const roles = { deployerKey: keys.deployer, operator, pauser: admin, proposers: [admin], baseUrl }
  const devnets = await startDevnets<Deployment>({
    networks: chains.map((chain, at) => ({ chain, chainId: networks[chain].chainId, gasless: networks[chain].gasless, port: ports[at] ?? 0 })),
    dataDir: path.join(dataDir, 'devnet'),
    deploy: (rpc, { chainId }) => deployDevnet({ rpcUrl: rpc, chainId, ...roles }),
    check: (rpc, { chainId }) => checkDevnet({ rpcUrl: rpc, chainId, ...roles }),
    log,
  }).catch((error: Error) => {
    throw /^port \d+ is used/.test(error.message)
      ? new Error(`${error.message}; set DEVNET_RPC_PORT to the first of two free ones`, { cause: error })
      : error
  })
  await mkdir(path.join(dataDir, 'devnet'), { recursive: true })
  const environment: Record<string, string> = {}
  for (const devnet of devnets) Object.assign(environment, await announce(dataDir, devnet))
  return {
    environment,
    rpcUrls: Object.fromEntries(devnets.map(devnet => [devnet.chain, devnet.rpcUrl])) as Record<Chain, string>,
    processes: devnets.map(devnet => ({ name: devnet.chain, pid: () => devnet.pid })),
    close: async () => {
      await Promise.all(devnets.map(devnet => devnet.close()))
    },
  }
}

async function announce(dataDir: string, devnet: Devnet<Deployment>): Promise<Record<string, string>> {
  const file = path.resolve(dataDir, 'devnet', `${devnet.chain}.addresses.json`)
  await writeAddresses(file, devnet.rpcUrl, devnet.addresses)
  return { [`${devnet.chain}_RPC_URL`]: devnet.rpcUrl, [`${devnet.chain}_ADDRESSES`]: file }
}
