import { type Chain, chains, identityApi, limits, refuse, type reputationApi, reputationSnapshot } from '@carapace/api'
import { networks, perChain } from '@carapace/chain'
import { announceRows, type Handlers, reply } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { needScore } from '../lookup.ts'
import type { Parts } from '../parts.ts'
import type { ScoreDoc } from '../score.store.ts'
import { push } from '../sync/sync.ts'
import { scoreRow } from './scores.ts'

const cooldownMs = 60_000

/** One request a minute and agent. @throws COOLDOWN_ACTIVE */
async function begin(parts: Parts, doc: Stored<ScoreDoc>): Promise<Stored<ScoreDoc>> {
  const now = parts.clock.now()
  return parts.scores.change(doc.id, present => {
    const endsAt = (present.lastSyncRequestAt?.getTime() ?? 0) + cooldownMs
    if (endsAt > now.getTime())
      refuse('COOLDOWN_ACTIVE', { cooldownEndsAt: new Date(endsAt).toISOString() }, { retryAfter: Math.ceil((endsAt - now.getTime()) / 1000) })
    return { state: { ...present, lastSyncRequestAt: now }, events: [] }
  })
}

/** Waits until no batch is under way for these networks; undefined after too long a wait. */
const settled = (parts: Parts, agentId: string, on: readonly Chain[], timeoutMs: number = limits.boundedWaitMs) =>
  parts.wait(
    'scores',
    agentId,
    async () => {
      const doc = await parts.scores.need(agentId)
      return on.every(chain => doc.chains[chain].batchId === null) ? doc : undefined
    },
    timeoutMs,
  )

export const syncHandlers = (parts: Parts) =>
  ({
    syncReputation: async ({ body }) => {
      const doc = await begin(parts, await needScore(parts, body.agentId))
      const on = chains.filter(chain => doc.chains[chain].registered)
      for (const chain of on) await push(parts, chain, [doc])
      const done = await settled(parts, doc.id, on)
      const latest = done ?? (await parts.scores.need(doc.id))
      const statusOf = (chain: Chain) => {
        if (!latest.chains[chain].registered) return 'none' as const
        if (latest.chains[chain].batchId !== null) return 'pending' as const
        return latest.chains[chain].score === latest.fusedScore ? ('confirmed' as const) : ('failed' as const)
      }
      const answer = {
        agentId: doc.id,
        fusedScore: latest.fusedScore,
        synced: on.length > 0 && on.every(chain => statusOf(chain) === 'confirmed'),
        syncedAt: done ? parts.clock.now().toISOString() : null,
        txHashes: perChain(chain => latest.chains[chain].txHash),
        chains: perChain(chain => ({ status: statusOf(chain) })),
      }
      return done ? answer : reply(202, answer)
    },

    syncToSkale: async ({ params }) => {
      const doc = await begin(parts, await needScore(parts, params.id))
      const chain = 'SKALE_TESTNET' as const
      // all waits together stay within the limit of one answer
      const until = performance.now() + limits.boundedWaitMs
      const left = () => Math.max(0, until - performance.now())
      if (!doc.chains[chain].registered)
        await parts.peers.call('identity', identityApi.internal.registerOnChain, { params: { id: doc.id, chain }, timeoutMs: limits.boundedWaitMs })
      const registered = await parts.wait(
        'scores',
        doc.id,
        async () => ((await parts.scores.need(doc.id)).chains[chain].registered ? true : undefined),
        left(),
      )
      if (registered) await push(parts, chain, [await parts.scores.need(doc.id)])
      const done = registered ? await settled(parts, doc.id, [chain], left()) : undefined
      const latest = done ?? (await parts.scores.need(doc.id))
      const { txHash, updatedAt } = latest.chains[chain]
      const answer = {
        txHash,
        syncedAt: updatedAt?.toISOString() ?? null,
        chain,
        chainId: networks[chain].chainId,
        score: latest.fusedScore,
        breakdown: { ...latest.components },
      }
      return done?.chains[chain].score === latest.fusedScore ? answer : reply(202, answer)
    },

    announceScores: ({ body }) => announceRows(parts, reputationSnapshot, body, parts.scores, scoreRow),
  }) satisfies Handlers<typeof reputationApi>
