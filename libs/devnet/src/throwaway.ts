import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Node, startNode, stopNode } from './node.ts'
import type { Network } from './process.ts'
import { headOf, latestBlock } from './recorder.ts'
import { newestDump, writeDump } from './state.ts'
import type { Upstream } from './upstream.ts'

export type ThrowAwayOptions<A> = { network: Network; deploy: (upstream: Upstream) => Promise<A>; preparedDir?: string | undefined }

/** A chain that nobody keeps. With `preparedDir` the first start leaves the deployed state there and later ones only load it. */
export async function startThrowAway<A>({ network, deploy, preparedDir }: ThrowAwayOptions<A>): Promise<{ node: Node; addresses: A }> {
  const dir = await mkdtemp(join(tmpdir(), 'carapace-anvil-'))
  const node = await startNode(network, dir, { pidFile: false }).finally(() => rm(dir, { recursive: true, force: true }))
  try {
    const prepared = preparedDir === undefined ? undefined : await loadPrepared<A>(node.upstream, network, preparedDir)
    if (prepared) return { node, addresses: prepared.addresses }
    const addresses = await deploy(node.upstream)
    if (preparedDir !== undefined) await savePrepared(node.upstream, network, preparedDir, addresses)
    return { node, addresses }
  } catch (error) {
    await stopNode(node)
    throw error
  }
}

async function loadPrepared<A>(upstream: Upstream, network: Network, dir: string): Promise<{ addresses: A } | undefined> {
  await mkdir(dir, { recursive: true })
  const dump = await newestDump<A>(dir)
  if (dump?.header.chainId !== network.chainId) return undefined
  await upstream.request('anvil_loadState', [dump.state])
  return { addresses: dump.header.addresses }
}

async function savePrepared<A>(upstream: Upstream, network: Network, dir: string, addresses: A): Promise<void> {
  await upstream.request('evm_mine')
  const genesis = await upstream.request<{ hash: string }>('eth_getBlockByNumber', ['0x0', false])
  const head = headOf(await latestBlock(upstream))
  const state = await upstream.request<string>('anvil_dumpState')
  await writeDump(dir, { generation: 1, header: { chainId: network.chainId, genesisHash: genesis.hash, ...head, offsetSec: 0, addresses }, state })
}
