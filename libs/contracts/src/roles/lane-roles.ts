import { id } from 'ethers'
import type { ContractName } from '../artifact.ts'

/** A role that the relayer's sender key needs on a contract. */
export interface LaneRole {
  contract: ContractName
  role: 'OPERATOR' | 'ORACLE' | 'FACILITATOR' | 'FAUCET'
  /** The role as the contract knows it, bytes32. */
  hash: string
}

const contractsOf = {
  OPERATOR: ['Batcher', 'SwarmValidator', 'Bond', 'Escrow', 'Commerce', 'JobEvaluator', 'Card', 'DomainRegistry', 'IdentityRegistry'],
  ORACLE: ['Bond', 'ReputationAdapter'],
  FACILITATOR: ['Escrow'],
  // devnets only: a real token gives nobody of ours a role
  FAUCET: ['DevUSDC'],
} as const satisfies Record<LaneRole['role'], readonly ContractName[]>

/**
 * Every role of a relayer key, on a devnet or on a real network.
 * @example laneRoles('real').map(({ contract, role }) => `${role} on ${contract}`)
 */
export function laneRoles(profile: 'devnet' | 'real'): LaneRole[] {
  const roles = Object.keys(contractsOf) as (keyof typeof contractsOf)[]
  return roles
    .filter(role => role !== 'FAUCET' || profile === 'devnet')
    .flatMap(role => contractsOf[role].map((contract): LaneRole => ({ contract, role, hash: id(role) })))
}
