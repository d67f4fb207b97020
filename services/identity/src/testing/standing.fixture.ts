import { randomUUID } from 'node:crypto'
import { bondDeposited, scoreChanged, tierFloors, tiers } from '@carapace/api'
import type { TestAgent } from './harness.ts'

const tierOf = (score: number) => tiers.findLast(tier => score >= tierFloors[tier])!

/** Reputation has scored the agent. */
export const scoreOf = ({ id }: TestAgent, fusedScore: number, riskScore: number, totalGigsCompleted = 0) =>
  scoreChanged.of({
    ...{ agentId: id, fusedScore, previousScore: 15, tier: tierOf(fusedScore), riskScore, riskLevel: 'low' },
    ...{ components: { gigPerformance: 0, bondReliability: 0, onChainBehaviour: 0, ecosystemSignals: 0 }, badges: [], totalGigsCompleted },
    ...{ totalEarned: 0n, gigCompletionRate: 0, formulaVersion: '1', computedAt: new Date().toISOString() },
  })

/** The agent has a bond of 12 USDC. */
export const bondOf = ({ id, wallet }: TestAgent) =>
  bondDeposited.of({
    ...{ agentId: id, chain: 'BASE_SEPOLIA', bondEventId: randomUUID(), amount: 12_000_000n, gigId: null, from: wallet },
    ...{ totalBonded: 12_000_000n, availableBond: 12_000_000n, lockedBond: 0n, slashedBond: 0n, bondTier: 'BONDED', bondStatus: 'BONDED' },
    ...{ txHash: `0x${'ab'.repeat(32)}`, changedAt: new Date().toISOString() },
  })
