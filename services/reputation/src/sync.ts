import { type Chain, chains } from '@carapace/api'
import { commands } from '@carapace/chain'
import type { Stored } from '@carapace/store'
import type { Parts } from './parts.ts'
import { endBatch, type ScoreDoc, startBatch } from './score.store.ts'

const batchSize = 50

/** Pushes the present scores of these agents to a network, in batches of 50. Resolves to the operation keys. */
export async function push(parts: Parts, chain: Chain, docs: readonly Stored<ScoreDoc>[]): Promise<void> {
  const registered = docs.filter(doc => doc.chains[chain].registered && doc.wallet !== '' && doc.chains[chain].batchId === null)
  for (let at = 0; at < registered.length; at += batchSize) await pushBatch(parts, chain, registered.slice(at, at + batchSize))
}

async function pushBatch(parts: Parts, chain: Chain, docs: readonly Stored<ScoreDoc>[]): Promise<void> {
  const batchId = parts.newId()
  const marked = await Promise.all(docs.map(doc => parts.scores.change(doc.id, present => startBatch(present, chain, batchId))))
  const updatedAt = Math.floor(Date.now() / 1000)
  const scores = marked.map(doc => ({
    wallet: doc.wallet,
    score: Math.round(doc.fusedScore * 100),
    risk: doc.risk.riskScore,
    bonded: doc.bond >= 10,
    updatedAt,
    nonce: BigInt(doc.version),
  }))
  await parts.emit([commands.scoreSync({ chain, batchId, scores })])
}

/** Everybody whose time has come, on all networks. */
export async function pushDue(parts: Parts, now: Date): Promise<void> {
  const due = await parts.scores.find({ syncDueAt: { $lte: now } }, { sort: { syncDueAt: 1 }, limit: 4 * batchSize })
  for (const chain of chains) await push(parts, chain, due)
  for (const doc of due)
    await parts.scores.change(doc.id, present => (present.syncDueAt === null ? undefined : { state: { ...present, syncDueAt: null }, events: [] }))
}

/** `score.sync:<chain>:<batch>` has ended; without a hash it failed. */
export async function finishBatch(parts: Parts, opKey: string, chain: Chain, txHash: string | null): Promise<void> {
  const batchId = opKey.split(':')[2] ?? ''
  const now = parts.clock.now()
  for (const doc of await parts.scores.find({ [`chains.${chain}.batchId`]: batchId }))
    await parts.scores.change(doc.id, present => endBatch(present, chain, batchId, txHash, now))
}
