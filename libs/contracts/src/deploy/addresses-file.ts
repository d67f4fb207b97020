import { readFile, rename, writeFile } from 'node:fs/promises'
import { getAddress } from 'ethers'
import type { Addresses } from '../address.ts'
import type { Deployment } from './devnet.ts'
import { type Addressed, type Replaced, replacedTogether } from './replacement.ts'
import { type Call, callAll, type Node } from './rpc.ts'

/**
 * Writes the addresses of a deployment where the relayer reads them. Contracts that the file had before, and that are still on the node, stay in it: one
 * that replaced a deployed one as the present one, others under `former`. Those of a devnet that was reset are forgotten.
 * @param node the network's node
 * @throws Error when the file is no file of addresses, or the node does not answer
 * @example await writeAddresses('BASE_SEPOLIA.json', rpcUrl, await deployDevnet(options))
 */
export async function writeAddresses(file: string, node: Node, deployment: Deployment): Promise<void> {
  const earlier = await readAddresses(file)
  const whole = earlier ? await withFormer(node, deployment, earlier) : deployment
  // a reader never sees half of it
  await writeFile(`${file}.new`, `${JSON.stringify(whole, null, 2)}\n`)
  await rename(`${file}.new`, file)
}

/** What `writeAddresses` wrote; undefined where nothing did. @throws Error when the file is no file of addresses */
export async function readAddresses(file: string): Promise<Addressed | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Addressed
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`${file} is no file of addresses: ${(error as Error).message}`, { cause: error })
  }
}

async function withFormer(node: Node, deployment: Deployment, { addresses, former = {} }: Addressed): Promise<Addressed> {
  const names: readonly Replaced[] = Object.values(replacedTogether).flat()
  const places = await Promise.all(
    names.map(async name => {
      const earlier = await onNode(node, [...(former[name] ?? []), addresses[name]].map(getAddress))
      const deployed = deployment.addresses[name]
      return [name, earlier.includes(deployed) ? earlier : [...earlier, deployed]] as const
    }),
  )
  const replaced = places.filter(([, every]) => every.length > 1)
  if (replaced.length === 0) return deployment
  const present = Object.fromEntries(places.map(([name, every]) => [name, every.at(-1)!]))
  return {
    ...deployment,
    addresses: { ...deployment.addresses, ...present } as Addresses,
    former: Object.fromEntries(replaced.map(([name, every]) => [name, every.slice(0, -1)])),
  }
}

/** Those addresses that have code. */
async function onNode(node: Node, addresses: readonly string[]): Promise<string[]> {
  const codes = await callAll(
    node,
    addresses.map((address): Call => ['eth_getCode', address, 'latest']),
  )
  return addresses.filter((_, at) => codes[at] !== '0x')
}
