import * as api from '@carapace/api'
import { Retry } from '@carapace/bus'
import type { Logged } from '@carapace/formula'
import { on, type Subscription } from '@carapace/service'
import { orExisting, type Stored } from '@carapace/store'
import { newScore } from '../new-score.ts'
import type { Parts } from '../parts.ts'
import { record } from '../record.ts'
import type { ScoreDoc } from '../score.store.ts'

/** What identity publishes of agents. */
export const agentEvents = (parts: Parts): Subscription[] => [
  on(api.agentRegistered, async (payload, event) => {
    const since = parts.audit.begin()
    const isNew = await orExisting(
      parts.scores.create(newScore(payload), []).then(() => true),
      async () => false,
    )
    // what is not known has no facts
    if (isNew) parts.audit.isEmpty(payload.agentId, since)
    await record(parts, event, payload.agentId, { type: 'registered' }, { at: payload.registeredAt, isFollowed: true })
  }),
  on(api.agentUpdated, ({ agentId, handle }) => edit(parts, agentId, doc => (doc.handle === handle ? undefined : { ...doc, handle }))),
  on(api.agentStatusChanged, async ({ agentId, status, wallet }, event) => {
    const agentVersion = event.aggregateversion
    await edit(parts, agentId, doc =>
      isNews(doc, agentVersion) ? { ...doc, status, wallet: wallet ?? '', walletKey: wallet?.toLowerCase() ?? '', agentVersion } : undefined,
    )
    if (status !== 'migrated') await record(parts, event, agentId, { type: status === 'suspended' ? 'suspended' : 'reinstated' })
  }),
  on(api.agentMigrated, async ({ sourceAgentId, targetAgentId }, event) => {
    await edit(parts, targetAgentId, doc => (doc.sources.includes(sourceAgentId) ? undefined : { ...doc, sources: [...doc.sources, sourceAgentId] }))
    await record(parts, event, targetAgentId, { type: 'inherited', from: sourceAgentId })
    await record(parts, event, sourceAgentId, { type: 'migrated', to: targetAgentId })
  }),
  on(api.agentOnchainConfirmed, async ({ agentId, chain, tokenId, txHash, confirmedAt }, event) => {
    const agentVersion = event.aggregateversion
    const registered = (doc: Stored<ScoreDoc>) =>
      isNews(doc.chains[chain], agentVersion)
        ? {
            ...doc,
            syncDueAt: doc.syncDueAt ?? parts.clock.now(),
            chains: { ...doc.chains, [chain]: { ...doc.chains[chain], registered: true, tokenId, agentVersion } },
          }
        : doc
    await record(parts, event, agentId, { type: 'onchain_confirmed', chain }, { at: confirmedAt, txHash, edit: registered })
  }),
  on(api.heartbeatRecorded, async ({ agentId, recordedAt }, event) => {
    const isSeen = (log: readonly Logged[]) =>
      log.some(({ type, at, ...fact }) => type === 'seen' && fact.agentId === agentId && Date.parse(recordedAt) - at.getTime() < api.dayMs)
    await record(parts, event, agentId, { type: 'seen' }, { at: recordedAt, unless: isSeen })
  }),
  on(api.skillVerified, ({ agentId, skill }, event) => record(parts, event, agentId, { type: 'skill_verified', skill }, { key: skill })),
]

/** Whether an event of this version of the agent is later than what was applied: one that was retried comes after later ones. */
const isNews = (applied: { agentVersion?: number }, version: number): boolean => version > (applied.agentVersion ?? -1)

async function edit(
  parts: Parts,
  agentId: string,
  change: (doc: Awaited<ReturnType<Parts['scores']['need']>>) => Parameters<Parts['scores']['create']>[0] | undefined,
): Promise<void> {
  try {
    await parts.scores.change(agentId, doc => {
      const state = change(doc)
      return state === undefined ? undefined : { state, events: [] }
    })
  } catch (error) {
    throw error instanceof api.Refusal && error.code === 'NOT_FOUND' ? new Retry(`agent ${agentId} is not known yet`) : error
  }
}
