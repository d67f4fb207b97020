import { type Chain, chainRelayerApi, type Network } from '@carapace/api'
import { unlessRefused } from '@carapace/service'
import { keccak256 } from 'ethers'
import type { SiteParts } from '../site-parts.ts'

/** Code at an address does not change; proxies among our contracts show the code of the proxy. */
const byCode = new Map<string, string>()

/** keccak256 of the code of each contract, by its name; without those that cannot be read now. */
export async function codeHashes({ peers }: SiteParts, { chain, contracts }: Network): Promise<Readonly<Record<string, string>>> {
  const entries = Object.entries(contracts).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const hashes = await Promise.all(entries.map(([, address]) => codeHash(peers, chain, address)))
  return Object.fromEntries(entries.flatMap(([name], i) => (hashes[i] === undefined ? [] : [[name, hashes[i]]])))
}

async function codeHash(peers: SiteParts['peers'], chain: Chain, address: string): Promise<string | undefined> {
  const key = `${chain}/${address}`
  const cached = byCode.get(key)
  if (cached !== undefined) return cached
  const found = await unlessRefused(peers.call('chain-relayer', chainRelayerApi.internal.chainCode, { params: { chain, wallet: address } }))
  if (found === undefined || found.code === '0x') return undefined
  const hash = keccak256(found.code)
  byCode.set(key, hash)
  return hash
}
