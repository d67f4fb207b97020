import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Node, startNode, stopNode } from './node.ts'
import type { Network } from './process.ts'
import { hashOfGenesis, headOf, latestBlock } from './recorder.ts'
import { type Dump, newestDump, writeDump } from './state.ts'
import type { Upstream } from './upstream.ts'

export type ThrowAwayOptions<A> = { network: Network; deploy: (upstream: Upstream) => Promise<A>; preparedDir?: string | undefined }

/** A chain that is not stored. With `preparedDir` the first start saves the deployed state there and later ones only load it. */
export async function startThrowAway<A>({ network, deploy, preparedDir }: ThrowAwayOptions<A>): Promise<{ node: Node; addresses: A }> {
  const prepared = preparedDir === undefined ? undefined : await readPrepared<A>(network, preparedDir)
  const nowSec = Math.floor(Date.now() / 1000)
  const genesisSec = prepared?.header.genesisSec ?? nowSec
  const node = await startBrief(network, genesisSec)
  try {
    if (prepared) {
      await node.upstream.request('anvil_loadState', [prepared.state])
      await node.upstream.request('evm_setTime', [nowSec])
      return { node, addresses: prepared.header.addresses }
    }
    const addresses = await deploy(node.upstream)
    if (preparedDir !== undefined) await savePrepared(node.upstream, preparedDir, { chainId: network.chainId, genesisSec, addresses })
    return { node, addresses }
  } catch (error) {
    await stopNode(node)
    throw error
  }
}

async function startBrief(network: Network, genesisSec: number): Promise<Node> {
  const dir = await mkdtemp(join(tmpdir(), 'carapace-anvil-'))
  try {
    return await startNode(network, { dir, genesisSec })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function readPrepared<A>(network: Network, dir: string): Promise<Dump<A> | undefined> {
  await mkdir(dir, { recursive: true })
  const dump = await newestDump<A>(dir)
  return dump?.header.chainId === network.chainId ? dump : undefined
}

type Origin<A> = { chainId: number; genesisSec: number; addresses: A }

async function savePrepared<A>(upstream: Upstream, dir: string, origin: Origin<A>): Promise<void> {
  await upstream.request('evm_mine')
  const head = headOf(await latestBlock(upstream))
  const genesisHash = await hashOfGenesis(upstream)
  const state = await upstream.request<string>('anvil_dumpState')
  await writeDump(dir, { generation: 1, header: { ...origin, genesisHash, ...head, offsetSec: 0 }, state })
}
