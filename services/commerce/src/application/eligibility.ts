import { refuse } from '@carapace/api'
import type { Agent } from '@carapace/projections'

export const minScore = 10
export const maxRisk = 75

/** Who may apply. @throws ACCOUNT_SUSPENDED, SCORE_TOO_LOW, RISK_TOO_HIGH */
export function needEligible(agent: Agent): void {
  needTrusted(agent)
  if (agent.fusedScore < minScore) refuse('SCORE_TOO_LOW', { required: minScore, actual: agent.fusedScore })
}

/** Above this risk nobody applies or is accepted, as with gigs. @throws ACCOUNT_SUSPENDED, RISK_TOO_HIGH */
export function needTrusted({ status, riskScore }: Agent): void {
  if (status !== 'active') refuse('ACCOUNT_SUSPENDED')
  if (riskScore > maxRisk) refuse('RISK_TOO_HIGH', { required: maxRisk, actual: riskScore })
}
