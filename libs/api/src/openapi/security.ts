import { type CallerClass, callers } from '../core/callers.ts'
import type { Json } from '../core/json-schema.ts'
import type { AnyEndpoint } from '../core/service-api.ts'

const header = (name: string, description: string): Json => ({ type: 'apiKey', in: 'header', name, description })

/** How a caller shows who it is, and how it pays. */
export const securitySchemes: Readonly<Record<SchemeName, Json>> = {
  agentId: header('x-agent-id', 'Id of the acting agent. In signed mode the signature names the agent, and this header may be left out.'),
  walletAddress: header('x-wallet-address', 'Wallet of the acting agent. In signed mode it may be left out.'),
  adminWallet: header(
    'x-admin-wallet',
    "Wallet of the oracle or of an admin. In plain mode beyond loopback, `x-admin-key` comes with it; in signed mode that wallet's signature.",
  ),
  adminKey: header('x-admin-key', 'ADMIN_API_KEY of the deployment, next to `x-admin-wallet` in plain mode.'),
  erc8128: header(
    'Signature',
    'ERC-8128: an HTTP message signature (RFC 9421) by the wallet of the acting agent or admin. Stands for the identity headers.',
  ),
  erc8128Input: header(
    'Signature-Input',
    'What `Signature` covers: method, authority, path, query, content-digest; created, expires, nonce, keyid `erc8128:<chainId>:<address>`.',
  ),
  x402: header('X-PAYMENT', 'x402 version 1, or the payment proof of this interface as JSON.'),
  x402v2: header('PAYMENT-SIGNATURE', 'x402 version 2.'),
}
type SchemeName = 'agentId' | 'walletAddress' | 'adminWallet' | 'adminKey' | 'erc8128' | 'erc8128Input' | 'x402' | 'x402v2'
type Requirement = Partial<Record<SchemeName, readonly []>>

const all = (...names: SchemeName[]): Requirement => Object.fromEntries(names.map(name => [name, []]))
const nobody: Requirement = {}
const signature = all('erc8128', 'erc8128Input')
const admin = [all('adminWallet'), all('adminWallet', 'adminKey'), signature]
const wallet = [all('agentId', 'walletAddress'), signature]
const agent = [all('agentId'), signature]

/** Any one of them will do. */
const requirements: Record<(typeof callers)[CallerClass]['needs'], readonly Requirement[]> = {
  nothing: [nobody],
  agent,
  wallet,
  walletOnly: [all('walletAddress'), signature],
  oracle: admin,
  admin,
  walletOrOracle: [...wallet, ...admin.slice(0, 2)],
  agentOrOracle: [...agent, ...admin.slice(0, 2)],
  internal: [],
}

/** What an operation needs, in plain or in signed mode. */
export function securityOf(endpoint: AnyEndpoint): Requirement[] {
  if (endpoint.alwaysSigned) return [signature]
  const { needs, optional } = callers[endpoint.caller as CallerClass]
  const identities = optional ? [nobody, ...wallet] : requirements[needs]
  const inSignedMode = endpoint.signed === endpoint.caller ? [] : requirements[callers[endpoint.signed as CallerClass].needs]
  const payments = endpoint.prices.some((price: { gated: boolean }) => price.gated) ? [all('x402'), all('x402v2')] : []
  return distinct([...identities, ...inSignedMode, ...payments])
}

/** It can be called by somebody who sends nothing of this. */
export const needsIdentity = (endpoint: AnyEndpoint): boolean => callers[endpoint.caller as CallerClass].needs !== 'nothing' || endpoint.alwaysSigned

function distinct(list: readonly Requirement[]): Requirement[] {
  const seen = new Map(list.map(requirement => [JSON.stringify(requirement), requirement]))
  return [...seen.values()]
}
