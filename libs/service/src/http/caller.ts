import { type AdminCaller, type AgentCaller, type AnyEndpoint, type CallerClass, refuse } from '@carapace/api'
import type { RequestContext } from '../context/context.ts'

/** The caller in the form the endpoint's class promises. @throws AUTH_REQUIRED, NOT_ADMIN */
export function callerOf(endpoint: AnyEndpoint, context: RequestContext | undefined): AgentCaller | AdminCaller | undefined {
  const needed: CallerClass = endpoint.caller
  if (needed === 'public') return undefined
  if (needed === 'internal') {
    if (context?.mode !== 'internal') refuse('AUTH_REQUIRED', undefined, { message: 'This route is for services only' })
    return undefined
  }
  if (needed === 'optional' || needed === 'optionalWallet') return context?.admin ?? context?.agent
  if (needed === 'oracle' || needed === 'admin') {
    const admin = context?.admin
    if (!admin) refuse('AUTH_REQUIRED', undefined, { message: 'x-admin-wallet is missing' })
    if (needed === 'admin' && admin.kind !== 'admin') refuse('NOT_ADMIN')
    return admin
  }
  if ((needed === 'walletOrOracle' || needed === 'agentOrOracle') && context?.admin) return context.admin
  return context?.agent ?? refuse('AUTH_REQUIRED')
}

/** The path parameter that must be the caller's own id. @throws FORBIDDEN */
export function checkSelf(endpoint: AnyEndpoint, caller: AgentCaller | AdminCaller | undefined, params: Record<string, string>): void {
  if (endpoint.self && caller?.kind === 'agent' && params[endpoint.self] !== caller.agentId)
    refuse('FORBIDDEN', { expected: `:${endpoint.self} = x-agent-id` })
}

/** The body field that names the acting agent. @throws FORBIDDEN */
export function checkActor(endpoint: AnyEndpoint, caller: AgentCaller | AdminCaller | undefined, body: unknown): void {
  if (!endpoint.actor || caller?.kind !== 'agent' || typeof body !== 'object' || body === null) return
  const named: unknown = (body as Record<string, unknown>)[endpoint.actor]
  if (named !== undefined && named !== caller.agentId)
    refuse('FORBIDDEN', { field: endpoint.actor }, { message: `${endpoint.actor} must be the caller's agent id` })
}
