import { type Chain, chains, dayMs } from '@carapace/api'
import { networks } from '@carapace/chain'
import type { Agent } from '../agent.ts'
import { agentRegistry } from '../networks.ts'
import { shownWallet } from '../views.ts'
import { encodedList, listLength, statusIndexOf } from './status-list.ts'

const lifeMs = dayMs
const coreContext = 'https://www.w3.org/ns/credentials/v2'

/** XSD time as credential libraries want it: without milliseconds. */
const seconds = (at: Date) => at.toISOString().replace(/\.\d{3}Z$/, 'Z')

/** Own terms need no context of their own to be fetched. */
const contextOf = (baseUrl: string) => [coreContext, { '@vocab': `${baseUrl}/vocab#` }]

/** The claims of a credential about an agent. */
export interface Claims {
  agentId: string
  handle: string
  /** EIP-55 */
  wallet: string
  chain: Chain
  fusedScore: number
  tier: string
  components: Agent['standing']['components']
  /** Entry in the status list. */
  statusIndex: number
  /** tokenId is empty while there is none. */
  erc8004: { agentRegistry: string; registered: boolean; tokenId: string }[]
}

export const claimsOf = (agent: Agent): Claims => ({
  agentId: agent.id,
  handle: agent.handle,
  wallet: shownWallet(agent),
  chain: agent.preferredChain,
  fusedScore: agent.standing.fusedScore,
  tier: agent.standing.tier,
  components: agent.standing.components,
  statusIndex: statusIndexOf(agent),
  erc8004: chains.map(chain => {
    const { tokenId, onChain } = agent.chains[chain].identity
    return { agentRegistry: agentRegistry(chain), registered: onChain?.status === 'confirmed', tokenId: tokenId ?? '' }
  }),
})

/** The form of every credential. */
const nobody: Claims = {
  agentId: '',
  handle: '',
  wallet: '',
  chain: 'BASE_SEPOLIA',
  fusedScore: 0,
  tier: '',
  components: { gigPerformance: 0, bondReliability: 0, onChainBehaviour: 0, ecosystemSignals: 0 },
  statusIndex: 0,
  erc8004: chains.map(() => ({ agentRegistry: '', registered: false, tokenId: '' })),
}

/** The reputation of an agent as a VC 2.0 document, not yet secured. */
export function reputationCredential({ chain, wallet, statusIndex, ...claims }: Claims, id: string, issuer: string, baseUrl: string, now: Date) {
  const { gigPerformance, bondReliability, onChainBehaviour, ecosystemSignals } = claims.components
  return {
    '@context': contextOf(baseUrl),
    id: `urn:uuid:${id}`,
    type: ['VerifiableCredential', 'AgentReputationCredential'],
    issuer,
    validFrom: seconds(now),
    validUntil: seconds(new Date(now.getTime() + lifeMs)),
    credentialStatus: statusEntry(baseUrl, statusIndex),
    credentialSubject: {
      id: `did:pkh:eip155:${networks[chain].chainId}:${wallet}`,
      ...claims,
      components: { gigPerformance, bondReliability, onChainBehaviour, ecosystemSignals },
    },
  }
}

/** Where the list with this number is served. */
export const statusListUrl = (baseUrl: string, list: number): string => `${baseUrl}/api/credentials/status/${list}`

function statusEntry(baseUrl: string, index: number) {
  const statusListCredential = statusListUrl(baseUrl, Math.floor(index / listLength))
  const statusListIndex = String(index % listLength)
  return {
    id: `${statusListCredential}#${statusListIndex}`,
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex,
    statusListCredential,
  }
}

/** The entry that a credential of ours names; undefined where it names none. */
export function entryOf({ credentialStatus }: ReputationCredential, baseUrl: string): number | undefined {
  const { statusListCredential, statusListIndex } = credentialStatus
  const list = Number(/\/(\d{1,6})$/.exec(statusListCredential)?.[1] ?? Number.NaN)
  const index = list * listLength + Number(statusListIndex)
  return JSON.stringify(statusEntry(baseUrl, index)) === JSON.stringify(credentialStatus) ? index : undefined
}

/** A list of revoked entries as a VC 2.0 document, not yet secured. */
export function statusListCredential(list: number, revoked: readonly number[], issuer: string, baseUrl: string, now: Date) {
  const id = statusListUrl(baseUrl, list)
  return {
    '@context': [coreContext],
    id,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer,
    validFrom: seconds(now),
    credentialSubject: { id: `${id}#list`, type: 'BitstringStatusList', statusPurpose: 'revocation', encodedList: encodedList(revoked) },
  }
}
export type StatusListCredential = ReturnType<typeof statusListCredential>

export type ReputationCredential = ReturnType<typeof reputationCredential>

const longest = 500
/** Names and kinds of all that is in a document, to compare two by. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.keys(value)
        .sort()
        .map(name => [name, shapeOf((value as Record<string, unknown>)[name])]),
    )
  return typeof value === 'string' && value.length > longest ? 'too long' : typeof value
}

/**
 * Whether a document has exactly the form of ours: only then do the libraries of linked data process it, which foreign graphs could
 * occupy for ever.
 */
export function isOurs(given: unknown, baseUrl: string): given is ReputationCredential {
  const model = reputationCredential(nobody, '', '', baseUrl, new Date(0))
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
  const document = given as ReputationCredential
  return (
    same(shapeOf(given), shapeOf(model)) &&
    same(document['@context'], model['@context']) &&
    same(document.type, model.type) &&
    !Number.isNaN(Date.parse(document.validFrom)) &&
    !Number.isNaN(Date.parse(document.validUntil))
  )
}
