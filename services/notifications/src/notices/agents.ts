import * as api from '@carapace/api'
import { type NoticeRule, rule } from './rule.ts'

/** What identity and reputation tell. */
export const agentNotices: readonly NoticeRule[] = [
  rule(api.agentOnchainConfirmed, ({ agentId, chain, tokenId, txHash }, tell) =>
    tell(agentId, ['registration_completed', 'Registered on chain', `Your identity is confirmed on ${chain}.`], { chain, tokenId, txHash }),
  ),
  rule(api.agentOnchainFailed, ({ agentId, chain, error }, tell) =>
    tell(agentId, ['registration_failed', 'Registration failed', `Your registration on ${chain} failed: ${error}`], { chain }),
  ),
  rule(api.skillVerified, ({ agentId, skill, tier }, tell) =>
    tell(agentId, ['skill_verified', 'Skill verified', `Your skill ${skill} is verified at tier ${tier}.`], { skill, tier }),
  ),
  rule(api.agentMigrated, ({ sourceAgentId, targetAgentId, migrationId }, tell) =>
    tell([sourceAgentId, targetAgentId], ['migration_completed', 'Migration completed', 'The reputation was moved to the new agent.'], {
      migrationId,
      sourceAgentId,
      targetAgentId,
    }),
  ),
  rule(api.tierChanged, ({ agentId, tier, previousTier, fusedScore }, tell) =>
    tell(agentId, ['tier_changed', 'New tier', `You are ${tier} now (before: ${previousTier}).`], { tier, previousTier, fusedScore }),
  ),
  rule(api.riskChanged, ({ agentId, riskLevel, previousLevel, riskScore }, tell) =>
    tell(agentId, ['risk_changed', 'Risk level changed', `Your risk level is ${riskLevel} now (before: ${previousLevel}).`], {
      riskLevel,
      previousLevel,
      riskScore,
    }),
  ),
]
