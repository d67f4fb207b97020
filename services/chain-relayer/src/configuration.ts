import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Chain, chains } from '@carapace/api'
import { type Addresses, contractNames, type Former, replaceableContracts, replacedTogether } from '@carapace/chain'
import type { Config, Prerequisites } from '@carapace/service'
import { z } from 'zod'
import { loadSeed } from './custody/keystore.ts'

/** The configuration of one network. */
export interface LaneConfig {
  chain: Chain
  rpcUrl: string
  publicRpcUrl?: string
  key: string
  /** The former key, while keys are exchanged. */
  retiringKey?: string
  addresses: Addresses
  former: Former
  timelock: string | null
  startBlock: number
}

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
/** The file that a deployment prints: names of contracts and their addresses, USDC under its own name or its code's. */
const deployment = z.object({
  addresses: z.record(z.string(), address),
  /** Where replaced contracts were before, oldest first: records are on them until their end. */
  former: z
    .strictObject(Object.fromEntries(replaceableContracts.map(name => [name, z.array(address).optional()])), {
      error: issue =>
        issue.code === 'unrecognized_keys' ? `${issue.keys.join(', ')} cannot be replaced, only ${replaceableContracts.join(', ')}` : undefined,
    })
    .default({}),
  startBlock: z.int().min(0).nullish(),
})

/**
 * The networks of this process, from its environment. The job that deploys the contracts may write their addresses later.
 * @throws Error that names the variable, the file or the contract that is missing
 */
export async function laneConfigs(config: Config, prerequisites: Prerequisites): Promise<LaneConfig[]> {
  const configured = chains.filter(chain => config[`${chain}_RPC_URL`])
  if (configured.length === 0) throw new Error(`no network is configured: set ${chains.map(chain => `${chain}_RPC_URL`).join(' or ')}`)
  return Promise.all(configured.map(chain => prerequisites.open(chain, () => laneConfig(chain, config), isWithoutFile)))
}

async function laneConfig(chain: Chain, config: Config): Promise<LaneConfig> {
  const key = config[`RELAYER_KEY_${chain}`]
  if (!key) throw new Error(`RELAYER_KEY_${chain} is not set: private key that sends the transactions of ${chain}`)
  const retiringKey = config[`RELAYER_KEY_${chain}_RETIRING`]
  if (retiringKey?.toLowerCase() === key.toLowerCase())
    throw new Error(`RELAYER_KEY_${chain}_RETIRING is RELAYER_KEY_${chain}: only a former key retires`)
  const file = config[`${chain}_ADDRESSES`]
  if (!file) throw new Error(`${chain}_ADDRESSES is not set: JSON file with the contract addresses of ${chain}`)
  const { addresses, former, startBlock } = await readDeployment(file)
  const named: Record<string, string> = { ...addresses, ...(addresses.DevUSDC ? { USDC: addresses.DevUSDC } : {}) }
  const publicRpcUrl = config[`${chain}_PUBLIC_RPC_URL`]
  const missing = contractNames.filter(name => !named[name])
  if (missing.length) throw new Error(`${file} has no address of ${missing.join(', ')}`)
  const odd = Object.values(replacedTogether).filter(names => new Set(names.map(name => former[name]?.length ?? 0)).size > 1)
  if (odd.length)
    throw new Error(`${odd.map(names => names.join(' and ')).join('; ')} are replaced together: "former" of ${file} must have as many of each`)
  return {
    chain,
    rpcUrl: config[`${chain}_RPC_URL`]!,
    ...(publicRpcUrl === undefined ? {} : { publicRpcUrl }),
    key,
    ...(retiringKey === undefined ? {} : { retiringKey }),
    addresses: Object.fromEntries(contractNames.map(name => [name, named[name]!])) as unknown as Addresses,
    former: former as Former,
    timelock: addresses.Timelock ?? null,
    startBlock: startBlock ?? 0,
  }
}

async function readDeployment(file: string): Promise<z.output<typeof deployment>> {
  try {
    return deployment.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    const reason =
      error instanceof z.ZodError ? error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`).join('; ') : (error as Error).message
    throw new Error(`the addresses file ${file} cannot be used: ${reason}`, { cause: error })
  }
}

const isWithoutFile = (error: unknown): boolean => error instanceof Error && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT'

/** The seed of the custodial keys, made at the first start of a database. @throws Error when there is no passphrase, or no seed and `mayCreate` is false */
export async function custodySeed(config: Config, mayCreate: boolean): Promise<Uint8Array> {
  const folder = path.join(config.DATA_DIR, 'keys')
  const file = config.CUSTODY_SEED_FILE ?? path.join(folder, 'custody.json')
  const passphrase = config.CUSTODY_PASSPHRASE ?? (await readFile(path.join(folder, 'passphrase'), 'utf8').catch(() => '')).trim()
  if (passphrase.length < 12) throw new Error('CUSTODY_PASSPHRASE is not set: it opens the custody seed')
  return loadSeed(file, passphrase, mayCreate)
}
