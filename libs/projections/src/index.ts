export { type Agent, type AgentFacts, type AgentProjection, type AgentRef, agentProjection } from './agents.ts'
export { type CustodialWallets, custodialWallets } from './custodial-wallets.ts'
export { usdcBalance } from './usdc-balance.ts'
