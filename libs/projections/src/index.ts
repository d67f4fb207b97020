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
  type ShownAgent,
  type SkilledAgent,
  seenAgentProjection,
  shownAgentProjection,
} from './agents.ts'
export { type CustodialWallets, custodialWallets } from './custodial-wallets.ts'
export { usdcBalance } from './usdc-balance.ts'
