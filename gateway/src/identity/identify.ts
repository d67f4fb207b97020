import type { IncomingMessage } from 'node:http'
import { type AdminCaller, type AgentCaller, type CallerClass, type Chain, callers, chains, type Found, identityApi, refuse } from '@carapace/api'
import type { Peer } from '../request/request.ts'
import { type AdminRules, adminOf, namedAdmin, provePlainly } from './admin-caller.ts'
import { type Agents, type KnownAgent, uuidForm, walletForm } from './agents.ts'
import type { SignatureExpectation, Signer, VerifySignature } from './signature.ts'
import { otherWallet } from './signature-input.ts'

/** Who is calling, and how far that was proven. */
export interface Identity {
  mode: 'plain' | 'signed'
  /** Unsigned, in plain mode that others can reach: a service that spends from the agent's wallets must refuse it. */
  exposed?: boolean
  /** Wallet whose request signature was checked. */
  signedBy?: string
  agent?: AgentCaller
  admin?: AdminCaller
}

export interface IdentityParts {
  mode: 'plain' | 'signed'
  /** Plain mode that others can reach: admin calls and spending from the treasury need a signature all the same. */
  exposed: boolean
  agents: Agents
  admins: AdminRules
  verifySignature: VerifySignature
}

const { registerAgent } = identityApi.endpoints

type Needs = (typeof callers)[CallerClass]['needs']

/** @throws the refusals of behaviour 1.5 that concern identity, in its order: 401 before 403 */
export async function identify(
  request: IncomingMessage,
  body: () => Promise<Buffer | undefined>,
  route: Found,
  peer: Peer,
  parts: IdentityParts,
): Promise<Identity> {
  const declared = classOf(route, parts.mode)
  const { needs, optional } = callers[declared]
  if (needs === 'internal') return refuse('ROUTE_NOT_FOUND')

  const sent = sentHeaders(request)
  const hasSignature = isSigned(request)
  const asAdmin = comesAsAdmin(request, route, parts.mode)
  const role = needs === 'admin' ? 'admin' : 'oracle'
  // a signature names its wallet: who signs may leave the headers out
  const named = asAdmin && (sent.admin || !hasSignature) ? namedAdmin(request.headers, parts.admins, role) : undefined
  const names = sent.agentId !== undefined || sent.wallet !== undefined
  if (!asAdmin && !hasSignature) requireHeaders(declared === 'optionalWallet' && names ? 'wallet' : needs, sent)
  const contractChain = homeOfContracts(route, parts)
  const signer = hasSignature ? await parts.verifySignature(request, body, { ip: peer.ip, wallet: named?.wallet, contractChain }) : undefined
  if (signer) sentWallets(request).forEach(wallet => void sameWallet(signer, wallet))
  const proof: Identity = signer ? { mode: 'signed', signedBy: signer.wallet } : { mode: 'plain', ...(parts.exposed ? { exposed: true } : {}) }
  const isAgents = !asAdmin && (needs !== 'nothing' || (optional && (names || signer !== undefined)))
  // what nobody needs here must not contradict the signature either
  if (signer && !isAgents && sent.agentId !== undefined) sameWallet(signer, (await resolveAgent({ ...sent, wallet: undefined }, parts.agents)).wallet)

  if (asAdmin) {
    const admin = named ?? adminOf(signer!.wallet, parts.admins, role)
    if (!signer && (parts.mode === 'signed' || parts.exposed)) refuse('SIGNATURE_REQUIRED')
    if (!signer) provePlainly(request.headers, peer, parts.admins)
    return { ...proof, admin }
  }
  if (!isAgents) return proof

  const agent = names || !signer ? await resolveAgent(sent, parts.agents, statusesFor(route)) : await agentOf(signer, route, parts)
  if (!agent)
    return needs === 'nothing' ? proof : refuse('IDENTITY_INVALID', undefined, { message: 'The wallet that signed is of no registered agent' })
  if (signer) sameWallet(signer, agent.wallet)
  else if (mustSign(route, agent, parts)) refuse('SIGNATURE_REQUIRED')
  checkOwnPath(route, declared, agent)
  return { ...proof, agent: { kind: 'agent', agentId: agent.agentId, wallet: agent.wallet } }
}

/** The agent of the wallet that signed; undefined when it has none. @throws ACCOUNT_SUSPENDED */
async function agentOf({ wallet }: Signer, route: Found, { agents }: IdentityParts): Promise<ResolvedAgent | undefined> {
  const isKnown = (await agents.byWallet(wallet)) ?? (await agents.freshByWallet(wallet))
  return isKnown ? resolveAgent({ agentId: undefined, wallet }, agents, statusesFor(route)) : undefined
}

/**
 * Where a contract wallet may sign: an agent's on the network that the agent prefers, an admin's on the first one, and that of a registration where it
 * registers. Elsewhere somebody else may own a contract at the same address.
 */
function homeOfContracts({ path }: Found, { agents, admins }: IdentityParts): SignatureExpectation['contractChain'] {
  return async (wallet, body) => {
    const chain = admins.wallets.has(wallet) ? firstChain : await agents.chainOf(wallet)
    return chain ?? (path === registerAgent.path ? chainOfRegistration(wallet, body) : undefined)
  }
}

const [firstChain] = chains

function chainOfRegistration(wallet: string, body: Buffer | undefined): Chain | undefined {
  try {
    const { walletAddress, chain = firstChain } = JSON.parse(String(body ?? '{}')) as { walletAddress?: unknown; chain?: unknown }
    if (String(walletAddress).toLowerCase() !== wallet) return undefined
    return chains.find(one => one === chain) ?? firstChain
  } catch {
    return undefined
  }
}

/** A caller of whom nothing has to be known. */
export const nobody: Identity = { mode: 'plain' }

/** Whether nobody has to be known, and nothing names anybody where that is possible: most reads. */
export const isNobody = (request: IncomingMessage, route: Found, mode: 'plain' | 'signed'): boolean => {
  const { needs, optional } = callers[classOf(route, mode)]
  if (needs !== 'nothing' || isSigned(request)) return false
  return !optional || (route.method === 'get' && naming.every(name => request.headers[name] === undefined))
}

const naming = ['x-agent-id', 'x-wallet-address', 'x-admin-wallet'] as const

/** Whether the call is to be judged as an admin's: it has to be one, or it names one where that is possible. */
export function comesAsAdmin(request: IncomingMessage, route: Found, mode: 'plain' | 'signed'): boolean {
  const { needs, optional } = callers[classOf(route, mode)]
  if (needs === 'admin' || needs === 'oracle') return true
  return sentHeaders(request).admin && (optional || needs === 'walletOrOracle' || needs === 'agentOrOracle')
}

const classOf = ({ endpoint }: Found, mode: 'plain' | 'signed'): CallerClass => (mode === 'signed' ? endpoint.signed : endpoint.caller)

interface Sent extends AgentHeaders {
  admin: boolean
}

/** Every header that names a wallet, whether the route needs it or not. */
const sentWallets = ({ headers }: IncomingMessage): string[] =>
  ['x-wallet-address', 'x-admin-wallet'].map(name => String(headers[name] ?? '').trim()).filter(wallet => wallet !== '')

function sentHeaders({ headers }: IncomingMessage): Sent {
  const text = (name: string) => {
    const value = headers[name]
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
  }
  return { agentId: text('x-agent-id'), wallet: text('x-wallet-address'), admin: text('x-admin-wallet') !== undefined }
}

/** @throws AUTH_REQUIRED that names the first missing header */
function requireHeaders(needs: Needs, sent: Sent): void {
  const missing: Partial<Record<Needs, readonly (keyof AgentHeaders)[]>> = {
    agent: ['agentId'],
    agentOrOracle: ['agentId'],
    wallet: ['agentId', 'wallet'],
    walletOrOracle: ['agentId', 'wallet'],
    walletOnly: ['wallet'],
  }
  for (const part of missing[needs] ?? []) {
    const header = part === 'agentId' ? 'x-agent-id' : 'x-wallet-address'
    if (sent[part] === undefined) refuse('AUTH_REQUIRED', { header }, { message: `${header} is missing` })
  }
}

/** Signed mode accepts no unproven caller, on any endpoint: an answer or a payment may depend on the caller. */
const mustSign = ({ endpoint }: Found, agent: ResolvedAgent, { mode, exposed }: IdentityParts): boolean =>
  mode === 'signed' || agent.requireSignature || endpoint.alwaysSigned || (exposed && endpoint.spends)

function sameWallet(signer: Signer, wallet: string): void {
  if (signer.wallet.toLowerCase() !== wallet.toLowerCase()) throw otherWallet()
}

/** Where signed mode requires more than the declaration's plain class, the service does not compare caller and path: it is done here. */
function checkOwnPath({ endpoint, params }: Found, declared: CallerClass, agent: ResolvedAgent): void {
  if (declared === endpoint.caller) return
  const name = endpoint.self ?? ['id', 'agentId'].find(param => param in params)
  if (name !== undefined && params[name] !== agent.agentId) refuse('FORBIDDEN', { expected: `:${name} = x-agent-id` })
}

/** The identity headers of a request, as sent. */
export interface AgentHeaders {
  agentId: string | undefined
  wallet: string | undefined
}

export interface ResolvedAgent extends AgentCaller {
  requireSignature: boolean
}

const zeroWallet = `0x${'0'.repeat(40)}`

/**
 * The registered agent that the headers name. Nobody is refused on the word of the gateway's copy alone: it is read again from its owner first.
 * @param statuses those that it may have; absent: any
 * @throws IDENTITY_INVALID for a malformed or unknown name, WALLET_MISMATCH for two different agents, ACCOUNT_SUSPENDED for another status
 */
export async function resolveAgent(headers: AgentHeaders, agents: Agents, statuses?: readonly string[]): Promise<ResolvedAgent> {
  const wanted = parseHeaders(headers)
  const copy = wanted.agentId === undefined ? await agents.byWallet(wanted.wallet!) : await agents.byId(wanted.agentId)
  if (copy && matches(copy, wanted) && isOneOf(copy, statuses)) return caller(copy)

  const agent = wanted.agentId === undefined ? await agents.freshByWallet(wanted.wallet!) : await agents.freshById(wanted.agentId)
  if (!agent) return refuse('IDENTITY_INVALID', { header: wanted.agentId === undefined ? 'x-wallet-address' : 'x-agent-id' })
  if (!matches(agent, wanted)) {
    const other = await agents.freshByWallet(wanted.wallet!)
    refuse(other ? 'WALLET_MISMATCH' : 'IDENTITY_INVALID', { header: 'x-wallet-address' })
  }
  if (!isOneOf(agent, statuses)) refuse('ACCOUNT_SUSPENDED', { status: agent.status })
  await agent.save()
  return caller(agent)
}

/** Lower-case copies; both missing is the caller's affair. @throws IDENTITY_INVALID */
function parseHeaders({ agentId, wallet }: AgentHeaders): AgentHeaders {
  const id = agentId?.toLowerCase()
  const address = wallet?.toLowerCase()
  if (id !== undefined && !uuidForm.test(id)) refuse('IDENTITY_INVALID', { header: 'x-agent-id' }, { message: 'x-agent-id must be a UUID' })
  if (address !== undefined && (!walletForm.test(address) || address === zeroWallet))
    refuse('IDENTITY_INVALID', { header: 'x-wallet-address' }, { message: 'x-wallet-address must be 0x and 40 hex digits, not the zero address' })
  return { agentId: id, wallet: address }
}

const matches = (agent: KnownAgent, wanted: AgentHeaders): boolean => wanted.wallet === undefined || agent.wallet?.toLowerCase() === wanted.wallet

/** Those whose agents may call an endpoint; absent: all. */
const statusesFor = ({ method, endpoint }: Found): readonly string[] | undefined =>
  method === 'get' ? undefined : endpoint.evenMigrated ? ['active', 'migrated'] : ['active']

const isOneOf = ({ status }: KnownAgent, statuses: readonly string[] | undefined): boolean => statuses?.includes(status) ?? true

const caller = (agent: KnownAgent): ResolvedAgent => ({
  kind: 'agent',
  agentId: agent.id,
  // only an agent that has released its wallet has none, and it may only read
  wallet: agent.wallet ?? '',
  requireSignature: agent.requireSignature,
})

const isSigned = (request: IncomingMessage): boolean => request.headers['signature-input'] !== undefined || request.headers.signature !== undefined
