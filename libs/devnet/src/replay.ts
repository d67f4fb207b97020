import type { Entry, RecordedBlock } from './journal.ts'
import { type Head, hashOfGenesis, headOf, latestBlock, type Pending, type RpcBlock, transactionHash } from './recorder.ts'
import type { Dump } from './state.ts'
import type { Upstream } from './upstream.ts'

/** What a journal says happened after its dump. `unanswered`: its last call may or may not have reached anvil. */
export type History = { pending: Pending; raws: Map<string, string>; head: Head; offsetSec: number; unanswered: boolean }

export function readHistory(header: Head & { offsetSec: number }, entries: Entry[]): History {
  const { number, hash, timestamp } = header
  const history: History = { pending: new Map(), raws: new Map(), head: { number, hash, timestamp }, offsetSec: header.offsetSec, unanswered: false }
  for (const [index, entry] of entries.entries()) {
    if (entry.kind === 'tx') {
      const txHash = transactionHash(entry.raw)
      history.raws.set(txHash, entry.raw)
      history.pending.set(txHash, { raw: entry.raw, since: Date.now() })
    } else if (entry.kind === 'drop') for (const txHash of entry.hashes) history.pending.delete(txHash)
    else if (entry.kind === 'block') {
      for (const txHash of entry.txs) history.pending.delete(txHash)
      history.head = { number: entry.number, hash: entry.hash, timestamp: entry.timestamp }
    } else if (entry.kind === 'call') {
      const outcome = outcomeOf(entries, index)
      history.unanswered = outcome === undefined
      if (entry.offsetSec !== undefined && outcome !== false) history.offsetSec = entry.offsetSec
    }
  }
  return history
}

/** Calls run one at a time, so a call's `done` is the first that follows it, before any other call. */
function outcomeOf(entries: Entry[], callIndex: number): boolean | undefined {
  for (let index = callIndex + 1; index < entries.length; index++) {
    const entry = entries[index]
    if (entry?.kind === 'done') return entry.ok
    if (entry?.kind === 'call') return undefined
  }
  return undefined
}

/**
 * Replays the recorded history into a new anvil: the dump, then block by block what the journal says, with the recorded timestamps, so that block
 * hashes come back. Throws when a block does not come back with the same effects. Returns the head reached.
 */
export async function replay<A>(upstream: Upstream, dump: Dump<A>, entries: Entry[], raws: Map<string, string>): Promise<Head> {
  await upstream.request('anvil_loadState', [dump.state], 300_000)
  const loaded = headOf(await latestBlock(upstream))
  if (loaded.hash !== dump.header.hash) throw new Error(`dump ${dump.generation} loads as block ${loaded.hash}, it was ${dump.header.hash}`)
  if ((await hashOfGenesis(upstream)) !== dump.header.genesisHash) throw new Error(`dump ${dump.generation} loads with another genesis block`)
  // A new anvil's clock begins at its own start; older blocks could not be repeated before it is set back.
  await upstream.request('evm_setTime', [loaded.timestamp])
  let head = loaded
  for (const [index, entry] of entries.entries()) {
    if (entry.kind === 'call' && entry.offsetSec === undefined && outcomeOf(entries, index) !== false) await repeatCall(upstream, entry)
    if (entry.kind === 'block') head = await repeatBlock(upstream, entry, raws)
  }
  return head
}

async function repeatCall(upstream: Upstream, { method, params }: { method: string; params: unknown }): Promise<void> {
  // A call that anvil refuses now was refused before, or changes nothing that the next block's check would not find.
  await upstream.batch([{ method, params }])
}

async function repeatBlock(upstream: Upstream, block: RecordedBlock, raws: Map<string, string>): Promise<Head> {
  const missing = block.txs.find(hash => !raws.has(hash))
  if (missing) throw new Error(`block ${block.number} cannot be repeated: transaction ${missing} is not in the journal`)
  await upstream.batch(block.txs.map(hash => ({ method: 'eth_sendRawTransaction', params: [raws.get(hash)] })))
  await upstream.request('evm_setNextBlockTimestamp', [block.timestamp])
  await upstream.request('evm_mine')
  const mined = await latestBlock(upstream)
  if (mined.hash !== block.hash && !hasSameEffects(mined, block)) {
    throw new Error(`block ${block.number} (${block.hash}) came back as block ${Number(mined.number)} (${mined.hash}) with other effects`)
  }
  return headOf(mined)
}

function hasSameEffects(mined: RpcBlock, block: RecordedBlock): boolean {
  return Number(mined.number) === block.number && mined.receiptsRoot === block.receiptsRoot && mined.transactions.join() === block.txs.join()
}

/** Puts the chain's clock `offsetSec` from the wall clock, never before its head, and hands the pool what was not mined yet. */
export async function resume(upstream: Upstream, head: Head, offsetSec: number, pending: Pending): Promise<void> {
  const nowSec = Math.floor(Date.now() / 1000) + offsetSec
  await upstream.request('evm_setTime', [Math.max(nowSec, head.timestamp)])
  await resend(upstream, pending)
}

/** Refusals mean "known already", "replaced meanwhile" or "never was valid": none of them is lost work. */
export async function resend(upstream: Upstream, pending: Pending): Promise<void> {
  const raws = [...pending.values()]
  for (let from = 0; from < raws.length; from += 50) {
    const part = raws.slice(from, from + 50)
    await upstream.batch(part.map(({ raw }) => ({ method: 'eth_sendRawTransaction', params: [raw] })))
  }
}
