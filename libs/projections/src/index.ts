export { type Agent, type AgentFacts, type AgentProjection, type AgentRef, agentProjection } from './agents.ts'
