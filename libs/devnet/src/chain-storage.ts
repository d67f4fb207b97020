import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Entry, type Journal, journalGenerations, openJournal, readJournal, removeJournals } from './journal.ts'
import { lockFolder } from './lock.ts'
import { findOrphan, letOutlive, type Node, removePidFile, startNode, stopNode } from './node.ts'
import type { Anvil, Network } from './process.ts'
import { createRecorder, hashOfGenesis, headOf, latestBlock, type Pending, type Recorder } from './recorder.ts'
import { type History, readHistory, replay, resend, resume } from './replay.ts'
import { type Dump, dumpGenerations, newestDump, removeDumpsAbove, writeDump } from './state.ts'
import { connectUpstream, type Upstream } from './upstream.ts'

/** Stores one network in a folder: dumps, journal, and the anvil that holds it all in memory. */
export type ChainStorage<A> = {
  node: () => Node
  addresses: A
  recorder: Recorder
  journal: Journal
  /** Writes the whole state and starts a new journal. Only while nothing changes the chain but new transactions. */
  dump: () => Promise<void>
  /** Whether enough has happened, or happened long enough ago, for a dump. */
  isDumpDue: () => boolean
  /** Starts a new anvil after the last one died, and restores the chain. Throws when that is not possible. */
  restore: () => Promise<void>
  /** Stops anvil and releases the folder. */
  close: () => Promise<void>
}

export type ChainStorageOptions<A> = {
  network: Network
  dir: string
  deploy: (upstream: Upstream) => Promise<A>
  /** Throws when a stored chain is not what would be deployed now. */
  check: (upstream: Upstream) => Promise<void>
  dumpAfterSec: number
  log: (message: string) => void
}

const dumpAfterBytes = 2 * 1024 * 1024
const forgetPendingAfterMs = 60_000

/** Opens the folder: a new chain (genesis, deployment, dump), the living anvil of an earlier supervisor, or dump and journal. */
export async function openChainStorage<A>(options: ChainStorageOptions<A>): Promise<ChainStorage<A>> {
  const { network, dir, dumpAfterSec, log } = options
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const unlock = await lockFolder(dir)
  let node: Node | undefined
  try {
    const orphan = await findOrphan(dir)
    const stored = await readStored<A>(dir, network)
    const start = stored ? await resumeChain(options, stored, orphan) : await startNewChain(options, orphan)
    node = start.node
    if (stored) await checkStored(options, node)
    return await openWith(start, unlock)
  } catch (error) {
    if (node) await stopNode(node)
    await unlock()
    throw error
  }

  async function openWith(start: Start<A>, release: () => Promise<void>): Promise<ChainStorage<A>> {
    let current = start.node
    let generation = start.generation
    let dumpBytes = start.dumpBytes
    let dumpedAt = Date.now()
    const { header } = start
    const journal = await openJournal(dir, generation)
    const recorder = createRecorder(journal, start.head, start.pending)

    const dump = async () => {
      const { upstream } = current
      await forgetReplaced(upstream, recorder)
      generation += 1
      await journal.rotate(generation, carriedEntries(recorder.pending))
      const state = await upstream.request<string>('anvil_dumpState', [], 300_000)
      const head = headOf(await latestBlock(upstream))
      const offsetSec = await upstream.request<number>('evm_increaseTime', [0])
      dumpBytes = await writeDump(dir, { generation, header: { ...header, ...head, offsetSec }, state })
      dumpedAt = Date.now()
      recorder.moveTo(head)
      await removeJournals(dir, Math.min(...(await dumpGenerations(dir))))
    }
    if (start.adopted && (await recorder.blocks(current.upstream))) await resend(current.upstream, recorder.pending)
    // The first state, and what only an adopted anvil and no journal has, are dumped immediately.
    if (!stored(start) || start.adopted) await dump()
    return {
      node: () => current,
      addresses: header.addresses,
      recorder,
      journal,
      dump,
      isDumpDue: () => {
        const bytes = journal.bytes()
        const isOld = Date.now() - dumpedAt > dumpAfterSec * 1000
        return bytes > Math.max(dumpAfterBytes, dumpBytes) || (isOld && bytes > dumpBytes / 20)
      },
      restore: async () => {
        await journal.append()
        const found = await readStored<A>(dir, network)
        if (!found) throw new Error(`${dir} has no readable dump`)
        log(`${network.chain}: anvil ended, bringing it back from dump ${found.dump.generation} and ${found.entries.length} journal entries`)
        current = await rebuild(options, found, recorder.pending, head => recorder.moveTo(head))
      },
      close: async () => {
        await journal.close()
        await stopNode(current)
        await removePidFile(dir)
        await release()
      },
    }
  }
}

type Header<A> = Dump<A>['header']
type Stored<A> = { dump: Dump<A>; entries: Entry[]; history: History; lastGeneration: number }
type Start<A> = {
  node: Node
  header: Header<A>
  head: History['head']
  pending: Pending
  generation: number
  dumpBytes: number
  adopted: boolean
}

const stored = (start: Start<unknown>) => start.dumpBytes > 0

/** Contracts cannot be replaced in place: their state would be lost or wrongly read. */
async function checkStored({ network, dir, check }: ChainStorageOptions<unknown>, { upstream }: Node): Promise<void> {
  await check(upstream).catch((error: Error) => {
    const ways = 'remove the folder to start an empty chain, or start the version that made it'
    throw new Error(`the ${network.chain} devnet in ${dir} was deployed by another version: ${error.message}; ${ways}`)
  })
}

async function startNewChain<A>({ network, dir, deploy }: ChainStorageOptions<A>, left: Anvil | undefined): Promise<Start<A>> {
  // Without a dump nothing was ever acknowledged: an unfinished first start begins again.
  await left?.kill()
  for (const generation of await journalGenerations(dir)) await rm(join(dir, `journal.${generation}.ndjson`))
  const genesisSec = Math.floor(Date.now() / 1000)
  const node = await startNode(network, { dir, genesisSec })
  try {
    const genesisHash = await hashOfGenesis(node.upstream)
    const addresses = await deploy(node.upstream)
    // A dump forgets that genesis sets its own base fee: only a chain with a block comes back with the same next block.
    await node.upstream.request('evm_mine')
    const head = headOf(await latestBlock(node.upstream))
    const header = { chainId: network.chainId, genesisSec, genesisHash, ...head, offsetSec: 0, addresses }
    await letOutlive(node, dir)
    return { node, header, head, pending: new Map(), generation: 0, dumpBytes: 0, adopted: false }
  } catch (error) {
    await stopNode(node)
    throw error
  }
}

async function resumeChain<A>(options: ChainStorageOptions<A>, found: Stored<A>, left: Anvil | undefined): Promise<Start<A>> {
  const { dump, history, lastGeneration } = found
  await removeDumpsAbove(options.dir, dump.generation)
  const common = { header: dump.header, pending: history.pending, generation: lastGeneration + 1, dumpBytes: dump.state.length / 2 }
  const adopted = left && (await adopt(left, dump.header, history))
  if (adopted) {
    options.log(`${options.network.chain}: goes on with the anvil that was left running (process ${adopted.anvil.pid})`)
    return { ...common, node: adopted, head: history.head, adopted: true }
  }
  if (left) options.log(`${options.network.chain}: replaces the anvil that was left running (process ${left.pid})`)
  await left?.kill()
  let { head } = history
  const node = await rebuild(options, found, history.pending, reached => (head = reached))
  return { ...common, node, head, adopted: false }
}

/** Adopts a living anvil if it is the one that this folder's dump and journal describe. */
async function adopt(anvil: Anvil, header: Header<unknown>, history: History): Promise<Node | undefined> {
  // Whether its last call took effect is not known; the journal decides that it did, so the chain is rebuilt.
  if (history.unanswered) return undefined
  const upstream = await connectUpstream(anvil.port).catch(() => undefined)
  if (!upstream) return undefined
  const hashAt = (number: number) => ({ method: 'eth_getBlockByNumber', params: [`0x${number.toString(16)}`, false] })
  const blocks = await upstream.batch([hashAt(0), hashAt(history.head.number)]).catch(() => [])
  const [genesisHash, headHash] = (blocks as ({ hash?: string } | null)[]).map(block => block?.hash)
  if (genesisHash === header.genesisHash && headHash === history.head.hash) return { anvil, upstream }
  upstream.close()
  return undefined
}

async function rebuild<A>(
  { network, dir }: ChainStorageOptions<A>,
  { dump, entries, history }: Stored<A>,
  pending: Pending,
  onHead: (head: History['head']) => void,
): Promise<Node> {
  const node = await startNode(network, { dir, genesisSec: dump.header.genesisSec })
  try {
    const head = await replay(node.upstream, dump, entries, history.raws)
    onHead(head)
    await resume(node.upstream, head, history.offsetSec, pending)
    await letOutlive(node, dir)
    return node
  } catch (error) {
    await stopNode(node)
    throw new Error(`the ${network.chain} devnet in ${dir} cannot be restored: ${(error as Error).message}`)
  }
}

async function readStored<A>(dir: string, network: Network): Promise<Stored<A> | undefined> {
  const dump = await newestDump<A>(dir)
  if (!dump) {
    if ((await dumpGenerations(dir)).length > 0) throw new Error(`no dump in ${dir} is readable; remove the folder to start an empty chain`)
    return undefined
  }
  if (dump.header.chainId !== network.chainId) throw new Error(`${dir} holds chain ${dump.header.chainId}, not ${network.chainId}`)
  const generations = (await journalGenerations(dir)).filter(generation => generation >= dump.generation)
  const lastGeneration = generations.at(-1) ?? dump.generation
  if (generations.length > 0 && generations.length !== lastGeneration - dump.generation + 1) {
    throw new Error(`a journal between ${dump.generation} and ${lastGeneration} is missing in ${dir}`)
  }
  const entries: Entry[] = []
  for (const generation of generations) for (const entry of await readJournal(dir, generation)) entries.push(entry)
  return { dump, entries, history: readHistory(dump.header, entries), lastGeneration }
}

function carriedEntries(pending: Pending): Entry[] {
  return [...pending.values()].map(({ raw }): Entry => ({ kind: 'tx', raw }))
}

/** Transactions that waited long and that anvil does not know (replaced by another of the same nonce) need no journal any more. */
async function forgetReplaced(upstream: Upstream, recorder: Recorder): Promise<void> {
  const old = [...recorder.pending].filter(([, { since }]) => Date.now() - since > forgetPendingAfterMs).map(([hash]) => hash)
  const found = await upstream.batch(old.map(hash => ({ method: 'eth_getTransactionByHash', params: [hash] })))
  await recorder.drop(old.filter((_, index) => found[index] === null))
}
