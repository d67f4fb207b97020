import * as api from '@carapace/api'
import { type NoticeRule, rule } from './rule.ts'

/** Notices for events of identity and reputation. */
export const agentNotices: readonly NoticeRule[] = [
  rule(api.agentOnchainConfirmed, ({ agentId, chain, tokenId, txHash }, notify) =>
    notify(agentId, ['registration_completed', 'Registered on chain', `Your identity is confirmed on ${chain}.`], { chain, tokenId, txHash }),
  ),
  rule(api.agentOnchainFailed, ({ agentId, chain, error }, notify) =>
    notify(agentId, ['registration_failed', 'Registration failed', `Your registration on ${chain} failed: ${error}`], { chain }),
  ),
  rule(api.skillVerified, ({ agentId, skill, tier }, notify) =>
    notify(agentId, ['skill_verified', 'Skill verified', `Your skill ${skill} is verified at tier ${tier}.`], { skill, tier }),
  ),
  rule(api.agentMigrated, ({ sourceAgentId, targetAgentId, migrationId }, notify) =>
    notify([sourceAgentId, targetAgentId], ['migration_completed', 'Migration completed', 'The reputation was moved to the new agent.'], {
      migrationId,
      sourceAgentId,
      targetAgentId,
    }),
  ),
  rule(api.tierChanged, ({ agentId, tier, previousTier, fusedScore }, notify) =>
    notify(agentId, ['tier_changed', 'New tier', `You are ${tier} now (before: ${previousTier}).`], { tier, previousTier, fusedScore }),
  ),
  rule(api.riskChanged, ({ agentId, riskLevel, previousLevel, riskScore }, notify) =>
    notify(agentId, ['risk_changed', 'Risk level changed', `Your risk level is ${riskLevel} now (before: ${previousLevel}).`], {
      riskLevel,
      previousLevel,
      riskScore,
    }),
  ),
  rule(api.webhookDisabled, ({ agentId, host }, notify) =>
    notify(agentId, ['webhook_disabled', 'Webhook disabled', `The last try to deliver to ${host} failed. Set the webhook again to enable it.`], {
      host,
    }),
  ),
]
