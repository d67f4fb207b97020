export {
  type Agent,
  type AgentIdentity,
  type AgentProjection,
  type AgentRef,
  agentIdentities,
  agentProjection,
  refsIn,
  type ScoreChange,
  type SeenAgent,
  type SkilledAgent,
  seenAgentProjection,
  skilledAgentProjection,
} from './agents.ts'
export { type CustodialWallets, custodialWallets } from './custodial-wallets.ts'
export { usdcBalance } from './usdc-balance.ts'
