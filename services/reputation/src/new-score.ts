import type { agentRegistered, PayloadOf } from '@carapace/api'
import { perChain } from '@carapace/chain'
import { currentVersion, inputsOf } from '@carapace/formula'
import type { ChainScore, ScoreDoc } from './score.store.ts'
import { standingAt } from './standing.ts'

const unknown: ChainScore = {
  registered: false,
  tokenId: null,
  score: null,
  risk: null,
  tier: null,
  txHash: null,
  updatedAt: null,
  batchId: null,
  batchScore: null,
  onChain: null,
  batchRisk: null,
}

/** The record of an agent that has just registered: 15, Hatchling. */
export function newScore({ agentId, handle, wallet, registeredAt, status, platform }: PayloadOf<typeof agentRegistered>): ScoreDoc {
  const at = new Date(registeredAt)
  const [standing, inputs] = [standingAt([], at), inputsOf(agentId, [])]
  return {
    id: agentId,
    handle,
    wallet,
    walletKey: wallet.toLowerCase(),
    ...standing,
    registeredAt: at,
    status,
    platform,
    sources: [],
    history: [{ score: standing.fusedScore, at, formulaVersion: currentVersion, inputs }],
    inputs,
    chains: perChain(() => unknown),
    syncDueAt: null,
    lastSyncRequestAt: null,
    computedAt: at,
  }
}
