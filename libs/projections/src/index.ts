export {
  type Agent,
  type AgentFacts,
  type AgentIdentity,
  type AgentProjection,
  type AgentRef,
  agentIdentities,
  agentProjection,
  type SeenAgent,
  seenAgentProjection,
} from './agents.ts'
export { type CustodialWallets, custodialWallets } from './custodial-wallets.ts'
export { usdcBalance } from './usdc-balance.ts'
