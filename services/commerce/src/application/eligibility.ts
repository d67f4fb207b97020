import { refuse } from '@carapace/api'
import type { Agent } from '@carapace/projections'

export const minScore = 10
export const maxRisk = 75

/** @throws ACCOUNT_SUSPENDED, SCORE_TOO_LOW, RISK_TOO_HIGH */
export function needEligible({ status, fusedScore, riskScore }: Agent): void {
  if (status !== 'active') refuse('ACCOUNT_SUSPENDED')
  if (fusedScore < minScore) refuse('SCORE_TOO_LOW', { required: minScore, actual: fusedScore })
  if (riskScore > maxRisk) refuse('RISK_TOO_HIGH', { required: maxRisk, actual: riskScore })
}
