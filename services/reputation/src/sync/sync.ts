import { type Chain, chains } from '@carapace/api'
import { commands, type ObservedOutcome, operationParts } from '@carapace/chain'
import { isBonded } from '@carapace/formula'
import { eachDue } from '@carapace/service'
import { type Stored, transact } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { followBatch, inBatch, type ScoreDoc, startBatch } from '../score.store.ts'
import type { Session } from './nonce.store.ts'

const batchSize = 50

/** Pushes the present scores of these agents to a network, in batches of 50; those that are on their way already are left out. */
export async function push(parts: Parts, chain: Chain, docs: readonly Stored<ScoreDoc>[]): Promise<void> {
  const registered = docs.filter(doc => doc.chains[chain].registered && doc.wallet !== '' && doc.chains[chain].batchId === null)
  const holders = await holdersAmong(parts, registered)
  for (let at = 0; at < holders.length; at += batchSize) await pushBatch(parts, chain, holders.slice(at, at + batchSize))
}

/** Without those whose wallet has passed to an agent that registered later: the news that they lost it may come after the registration. */
async function holdersAmong({ scores }: Parts, docs: readonly Stored<ScoreDoc>[]): Promise<Stored<ScoreDoc>[]> {
  const sharing = docs.length === 0 ? [] : await scores.find({ walletKey: { $in: docs.map(({ walletKey }) => walletKey) } })
  return docs.filter(doc => !sharing.some(other => other.walletKey === doc.walletKey && other.registeredAt > doc.registeredAt))
}

/** Marks and command are one write: an agent that waits for a batch nobody sent would wait for ever. One at a time: each claims the next nonce. */
function pushBatch(parts: Parts, chain: Chain, docs: readonly Stored<ScoreDoc>[]): Promise<void> {
  const batchId = parts.newId()
  const updatedAt = Math.floor(Date.now() / 1000)
  const send = async (session: Session) => {
    const marked: Stored<ScoreDoc>[] = []
    for (const { id } of docs) {
      const doc = await parts.scores.change(id, present => startBatch(present, chain, batchId), { session })
      if (doc.chains[chain].batchId === batchId) marked.push(doc)
    }
    if (marked.length === 0) return
    const nonce = await parts.nonces.next(chain, session)
    const command = commands.scoreSync({ chain, batchId, scores: marked.map(doc => scoreOnChain(doc, updatedAt, nonce)) })
    await parts.scores.change(marked[0]!.id, state => ({ state, events: [command] }), { session })
  }
  return parts.queue.serialize(`score.sync ${chain}`, () => transact(parts, send))
}

const scoreOnChain = (doc: Stored<ScoreDoc>, updatedAt: number, nonce: bigint) => ({
  wallet: doc.wallet,
  score: Math.round(doc.fusedScore * 100),
  risk: doc.risk.riskScore,
  bonded: isBonded(doc.bond),
  updatedAt,
  nonce,
})

/** All agents that are due, on all networks. An agent with a batch under way is due again at its end, one that changed just now at the next tick. */
export async function pushDue(parts: Parts, now: Date): Promise<void> {
  const due = await parts.scores.find({ syncDueAt: { $lte: now } }, { sort: { syncDueAt: 1 }, limit: 4 * batchSize })
  const pushAll = async (docs: readonly Stored<ScoreDoc>[]) => {
    for (const chain of chains) await push(parts, chain, docs)
    for (const doc of docs)
      await parts.scores.change(doc.id, present =>
        present.version === doc.version ? { state: { ...present, syncDueAt: null }, events: [] } : undefined,
      )
  }
  // one that cannot be synced fails its whole batch: then each is sent alone
  await pushAll(due).catch(() => eachDue(parts.log, due, doc => pushAll([doc])))
}

/** Follows an outcome of `score.sync:<chain>:<batch>` in the score of each agent of the batch. */
export async function followSync({ scores, clock }: Parts, opKey: string, chain: Chain, outcome: ObservedOutcome): Promise<void> {
  const [, , batchId = ''] = operationParts(opKey)
  const now = clock.now()
  for (const { id } of await scores.find(inBatch(chain, batchId)))
    await scores.change(id, present => followBatch(present, chain, batchId, outcome, now))
}
