import { setTimeout as sleep } from 'node:timers/promises'
import { type Chain, chains } from '@carapace/api'
import { networks } from '@carapace/chain'
import { deployDevnet, isDeployed, readAddresses, writeAddresses } from '@carapace/contracts'
import { baseUrlOf, type Config, required } from '@carapace/service'
import { computeAddress, id } from 'ethers'

const patienceMs = 60_000
const pauseMs = 250

/**
 * Puts the contracts onto both devnets and writes the addresses where the relayer reads them. Run again it changes nothing, also with another key of
 * the relayer; contracts that the files had before, and that are still there, stay in them.
 * @returns a line for each network
 * @throws Error when a variable is missing, or a node does not answer within a minute or is no anvil
 */
export async function deployToDevnets(config: Config): Promise<string[]> {
  return Promise.all(chains.map(chain => deployTo(chain, config)))
}

async function deployTo(chain: Chain, config: Config): Promise<string> {
  const rpcUrl = required(config, `${chain}_RPC_URL`).replace(/^ws/, 'http')
  const file = required(config, `${chain}_ADDRESSES`)
  const operatorKey = required(config, `RELAYER_KEY_${chain}`)
  const admin = required(config, 'ORACLE_WALLET')
  const version = await firstAnswer(rpcUrl)
  if (!/anvil/i.test(version)) throw new Error(`${chain} is ${version}, not a devnet: use npm run deploy:contracts`)
  const present = (await readAddresses(file))?.addresses
  if (present && (await isDeployed(rpcUrl, present))) return `${chain}: the contracts of ${file} are there`
  const deployment = await deployDevnet({
    rpcUrl,
    chainId: networks[chain].chainId,
    // an account of its own without transactions, the same at each run
    deployerKey: id(`deployer of ${operatorKey}`),
    operator: computeAddress(operatorKey),
    pauser: admin,
    proposers: [admin],
    baseUrl: baseUrlOf(config),
  })
  await writeAddresses(file, rpcUrl, deployment)
  return `${chain}: ${Object.keys(deployment.addresses).length} contracts, addresses in ${file}`
}

/** The node may start together with this process. */
async function firstAnswer(rpcUrl: string): Promise<string> {
  const end = Date.now() + patienceMs
  for (;;) {
    try {
      const request = { jsonrpc: '2.0', id: 1, method: 'web3_clientVersion', params: [] }
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(rpcUrl, { method: 'POST', headers, body: JSON.stringify(request), signal: AbortSignal.timeout(2_000) })
      return String(((await answer.json()) as { result?: unknown }).result)
    } catch (error) {
      if (Date.now() > end) throw new Error(`no node answers at ${rpcUrl} within ${patienceMs / 1000} s`, { cause: error })
      await sleep(pauseMs)
    }
  }
}
