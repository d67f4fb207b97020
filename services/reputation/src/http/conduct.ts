import { escrowApi, refuse, type reputationApi, type Slash, usd } from '@carapace/api'
import type { Handlers } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Entry } from '../audit.store.ts'
import { needScore } from '../lookup.ts'
import type { Parts } from '../parts.ts'
import type { ScoreDoc } from '../score.store.ts'
import type { SlashRow } from '../slash.store.ts'

const newest = { createdAt: -1, _id: -1 } as const

export const riskView = (doc: Stored<ScoreDoc>) => ({
  agentId: doc.id,
  handle: doc.handle,
  ...doc.risk,
  breakdown: { ...doc.risk.breakdown },
  updatedAt: doc.computedAt.toISOString(),
})

/** @param handle of the agent, where it has a score */
export const entryView = (entry: Entry, handle: string | undefined) => ({
  id: entry._id,
  seq: entry.seq,
  agentId: entry.agentId,
  handle: handle ?? null,
  type: entry.type,
  scoreBefore: entry.scoreBefore,
  scoreAfter: entry.scoreAfter,
  source: entry.source,
  details: { ...entry.details },
  proof: { txHash: entry.txHash, eventId: entry.eventId },
  createdAt: entry.createdAt.toISOString(),
  prevHash: entry.prevHash,
  hash: entry.hash,
})

const slashView = (row: SlashRow & { id: string }): Slash => ({
  id: row.id,
  agentId: row.agentId,
  gigId: row.gigId,
  validationId: row.validationId,
  amount: usd(row.amount),
  reason: row.reason,
  status: row.status,
  scoreBefore: row.scoreBefore ?? null,
  scoreAfter: row.scoreAfter ?? null,
  txHash: row.txHash,
  createdAt: row.createdAt.toISOString(),
})

async function handlesOf(parts: Parts, ids: readonly string[]): Promise<Map<string, Stored<ScoreDoc>>> {
  return new Map((await parts.scores.find({ _id: { $in: [...new Set(ids)] } })).map(doc => [doc.id, doc]))
}

export const conductHandlers = (parts: Parts) =>
  ({
    getRisk: async ({ params }) => riskView(await needScore(parts, params.agentId)),

    getRiskByWallet: async ({ params }) => riskView(await needScore(parts, params.walletAddress)),

    listAuditEvents: async ({ query }) => {
      const { agentId, type, ...page } = query
      const { items, total } = await parts.audit.page({ ...(agentId ? { agentId } : {}), ...(type ? { type } : {}) }, page)
      const agents = await handlesOf(
        parts,
        items.map(entry => entry.agentId),
      )
      return { events: items.map(entry => entryView(entry, agents.get(entry.agentId)?.handle)), total, ...page }
    },

    listSlashes: async ({ query }) => {
      const [{ items: rows, total }, sum] = await Promise.all([parts.slashes.page({}, query, newest), parts.slashes.sums()])
      const agents = await handlesOf(
        parts,
        rows.map(row => row.agentId),
      )
      const slashes = rows.map(row => {
        const doc = agents.get(row.agentId)
        const agent = { id: row.agentId, handle: doc?.handle ?? null, fusedScore: doc?.fusedScore ?? 0, tier: doc?.tier ?? null }
        const gig = row.gigId === null ? null : { id: row.gigId, title: row.gigTitle, budget: row.gigBudget === null ? null : usd(row.gigBudget) }
        return { ...slashView(row), agent, gig }
      })
      return { slashes, total, ...query, totalSlashed: usd(sum('applied')) }
    },

    listAgentSlashes: async ({ params, query }) => {
      const { items: rows, total } = await parts.slashes.page({ agentId: (await needScore(parts, params.agentId)).id }, query, newest)
      return { slashes: rows.map(slashView), total, ...query, count: total }
    },

    getSlash: async ({ params }) => {
      const row = await parts.slashes.get(params.id)
      if (row) return slashView(row)
      // one that was made just now is known to its owner only
      const made = await parts.peers.find('escrow', escrowApi.internal.getSlashRow, { params })
      return made ?? refuse('NOT_FOUND', { resource: 'slash' })
    },

    getListedSlash: async ({ params }) => {
      const { status } = (await parts.slashes.get(params.id)) ?? refuse('NOT_FOUND', { resource: 'slash' })
      return { slashId: params.id, status }
    },
  }) satisfies Handlers<typeof reputationApi>
