import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Chain } from '@carapace/api'
import { networks } from '@carapace/chain'
import { type Deployment, deployDevnet } from '@carapace/contracts'
import { type Devnet, startDevnets } from '@carapace/devnet'
import { computeAddress } from 'ethers'

export interface TestDevnets {
  devnets: Record<Chain, Devnet<Deployment>>
  /** The variables by which services find the networks, with the keys of the tests. */
  environment: Record<string, string>
  /** Of the wallet that acts as oracle and admin. */
  oracleWallet: string
  close(): Promise<void>
}

/** Keys of throw-away networks: worth nothing anywhere. */
const keyOf = (name: string) => `0x${createHash('sha256').update(`carapace test ${name}`).digest('hex')}`
const [deployerKey, relayerKey] = [keyOf('deployer'), keyOf('relayer')]
/** Of the wallet that is oracle and admin, and may pause the contracts. */
export const oracleKey = keyOf('oracle')
const debounceMs = 5

/**
 * Both networks with all contracts, thrown away at the end. The deployed state is prepared once for all test runs that have the same contracts.
 * @param heartbeatMs between blocks without transactions
 */
export async function startTestDevnets(heartbeatMs: number): Promise<TestDevnets> {
  const oracleWallet = computeAddress(oracleKey)
  const started = await startDevnets<Deployment>({
    networks: Object.entries(networks).map(([chain, { chainId, gasless }]) => ({ chain, chainId, gasless, port: 0 })),
    preparedDir: path.join(tmpdir(), `carapace-prepared-${await contractsHash()}`),
    mining: { debounceMs, heartbeatMs },
    deploy: (rpc, { chainId }) =>
      deployDevnet({ rpcUrl: rpc, chainId, deployerKey, operator: computeAddress(relayerKey), pauser: oracleWallet, proposers: [oracleWallet] }),
  })
  const folder = await mkdtemp(path.join(tmpdir(), 'carapace-addresses-'))
  const perChain = await Promise.all(started.map(devnet => variablesOf(devnet, folder)))
  return {
    devnets: Object.fromEntries(started.map(devnet => [devnet.chain, devnet])) as Record<Chain, Devnet<Deployment>>,
    environment: Object.assign({ ORACLE_WALLET: oracleWallet }, ...perChain),
    oracleWallet,
    close: async () => {
      await Promise.all(started.map(devnet => devnet.close()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function variablesOf({ chain, rpcUrl, addresses }: Devnet<Deployment>, folder: string): Promise<Record<string, string>> {
  const file = path.join(folder, `${chain}.json`)
  await writeFile(file, JSON.stringify(addresses))
  return { [`${chain}_RPC_URL`]: rpcUrl, [`${chain}_ADDRESSES`]: file, [`RELAYER_KEY_${chain}`]: relayerKey }
}

/** Names what is deployed: the compiled contracts and the accounts that the deployment gives rights to. */
async function contractsHash(): Promise<string> {
  const manifest = await readFile(new URL('../artifacts/manifest.json', import.meta.resolve('@carapace/contracts')))
  const plan = await readFile(fileURLToPath(new URL('./deploy/plan.js', import.meta.resolve('@carapace/contracts'))))
  return createHash('sha256').update(manifest).update(plan).update(deployerKey).update(relayerKey).digest('hex').slice(0, 16)
}
