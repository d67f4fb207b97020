import {
  agentOnchainConfirmed,
  agentOnchainFailed,
  agentRegistered,
  type Chain,
  chains,
  type Draft,
  type PayloadOf,
  refuse,
  reservedHandles,
} from '@carapace/api'
import { commands, followOutcome, type ObservedOutcome, perChain, sentOnChain } from '@carapace/chain'
import type { Decision } from '@carapace/store'
import { type Agent, changed, derived, noStep, profileFacts, progressOf, type Registration, type ReplacedCard, type Step } from '../agent.ts'
import { newSkill } from '../skills/skill.ts'
import { newAgentStanding } from '../standing.ts'

export interface Application {
  id: string
  handle: string
  /** EIP-55 */
  wallet: string
  walletProven: boolean
  description: string | null
  skills: readonly string[]
  agentType: string | null
  chain: Chain | 'BOTH'
  cardTokenId: number
  platform: boolean
  operationId: string
  replacedCard?: ReplacedCard
}
export interface Circumstances {
  now: Date
  newId(): string
  /** Address of the gateway, without a slash at the end. */
  baseUrl: string
}

/** The networks on which agents need gas money that they cannot buy: registration pays the first of it. */
const dripsOn: readonly Chain[] = ['SKALE_TESTNET']

/** @throws NAME_RESERVED */
export function checkHandle(handle: string): void {
  if (reservedHandles.includes(handle)) refuse('NAME_RESERVED', { handle })
}

/** A new agent with its commands to the networks: record and commands are one write. */
export function register(application: Application, { now, newId, baseUrl }: Circumstances): Decision<Agent> {
  const { chain, skills, ...given } = application
  const wanted: readonly Chain[] = chain === 'BOTH' ? chains : [chain]
  const sent: Step = { ...noStep, onChain: sentOnChain }
  const registration = (name: Chain): Registration =>
    wanted.includes(name) ? { identity: { ...sent, tokenId: null }, card: sent } : { identity: { ...noStep, tokenId: null }, card: noStep }
  const agent = derived({
    ...given,
    formerWallet: null,
    avatar: null,
    externalLink: null,
    skills: skills.map(name => newSkill(newId(), name, now)),
    githubHandle: null,
    githubLinkedAt: null,
    githubSyncedAt: null,
    attempts: [],
    preferredChain: chain === 'BOTH' ? 'BASE_SEPOLIA' : chain,
    chains: perChain(registration),
    drip: noStep,
    status: 'active',
    requireSignature: false,
    registeredAt: now,
    lastHeartbeat: null,
    announcedAt: now,
    workStatus: null,
    currentTask: null,
    recentBeats: [],
    standing: newAgentStanding,
    migrationId: null,
  })
  const event = agentRegistered.of({
    agentId: agent.id,
    handle: agent.handle,
    wallet: given.wallet,
    walletProven: agent.walletProven,
    agentType: agent.agentType,
    preferredChain: agent.preferredChain,
    chains: [...wanted],
    cardTokenId: agent.cardTokenId,
    status: agent.status,
    platform: agent.platform,
    registeredAt: now.toISOString(),
    ...profileFacts(agent),
  })
  return { state: agent, events: [event, ...wanted.flatMap(name => registrationCommands(agent, name, baseUrl))] }
}

/** What is still missing on a network is sent, a failed part in its next round; undefined when nothing is missing. @throws ACCOUNT_SUSPENDED */
export function registerOn(agent: Agent, chain: Chain, baseUrl: string): Decision<Agent> | undefined {
  const { identity, card } = agent.chains[chain]
  const next = { identity: again(identity), card: again(card) }
  if (next.identity === identity && next.card === card) return undefined
  if (agent.wallet === null || agent.status !== 'active') refuse('ACCOUNT_SUSPENDED', { status: agent.status })
  const resent = { ...agent, chains: { ...agent.chains, [chain]: next } }
  const [register, ...cards] = registrationCommands(resent, chain, baseUrl)
  return changed(agent, { chains: resent.chains }, [...(next.identity === identity ? [] : [register]), ...(next.card === card ? [] : cards)])
}

/**
 * A card that could not be minted is sent again, once the card of the wallet's former agent is burnt: that one was still on its way when this agent
 * registered. undefined where there is none, or its burn was sent already.
 */
export function replaceCard(agent: Agent, former: Agent, chain: Chain, baseUrl: string): Decision<Agent> | undefined {
  const { card } = agent.chains[chain]
  const replaced = agent.replacedCard?.chains ?? []
  const isInTheWay = former.chains[chain].card.onChain?.status === 'confirmed' && !replaced.includes(chain)
  if (!isInTheWay || card.onChain?.status !== 'failed') return undefined
  const replacedCard = { tokenId: former.cardTokenId, chains: [...replaced, chain] }
  const resent = { ...agent, replacedCard, chains: { ...agent.chains, [chain]: { ...agent.chains[chain], card: again(card) } } }
  const [, ...cards] = registrationCommands(resent, chain, baseUrl)
  return changed(agent, { replacedCard, chains: resent.chains }, cards)
}

/** The next round of a step that failed, or the first one; a step under way or confirmed stays as it is. */
function again<S extends Step>(step: S): S {
  const { status, round, seq } = progressOf(step)
  return status === 'none' || status === 'failed' ? { ...step, onChain: { ...sentOnChain, round: round + 1, seq }, attempts: 0 } : step
}

/** The identity's registration, then the card: a replaced one gives way first. */
function registrationCommands(agent: Agent, chain: Chain, baseUrl: string): [Draft, ...Draft[]] {
  const { identity, card } = agent.chains[chain]
  const owner = agent.wallet!
  const replaced = agent.replacedCard
  const burns = replaced?.chains.includes(chain)
    ? [commands.cardBurn({ chain, agentId: agent.id, wallet: owner, tokenId: BigInt(replaced.tokenId) })]
    : []
  return [
    commands.identityRegister({ chain, agentId: agent.id, owner, uri: metadataUrl(baseUrl, agent.id), round: progressOf(identity).round }),
    ...burns,
    commands.cardMint({ chain, agentId: agent.id, to: owner, tokenId: BigInt(agent.cardTokenId), round: progressOf(card).round }),
  ]
}

export const metadataUrl = (baseUrl: string, agentId: string): string => `${baseUrl}/api/agents/${agentId}/card/metadata`

/** An outcome of a command, as this service uses it. */
type Outcome =
  | { is: 'submitted'; txHash: string }
  | { is: 'confirmed'; txHash: string; blockNumber: number; at: Date }
  | { is: 'failed'; error: string; attempts: number }
  | { is: 'reorged' }
export type OutcomeOf = Outcome & { round: number; seq: number }

/** The step after an outcome; undefined when the outcome is stale. */
export function advance<S extends Step>(step: S, outcome: OutcomeOf): S | undefined {
  const before = step.onChain ?? { ...sentOnChain, round: 0 }
  // a failure is that of the transaction which is known
  const observed: ObservedOutcome = outcome.is === 'failed' ? { ...outcome, txHash: before.txHash } : outcome
  const onChain = followOutcome(before, observed)
  if (!onChain) return undefined
  const current = { ...step, onChain }
  switch (outcome.is) {
    case 'submitted':
      return current
    case 'confirmed':
      return { ...current, confirmedAt: outcome.at }
    case 'failed':
      return { ...current, attempts: Math.min(5, outcome.attempts) }
    case 'reorged':
      return { ...current, confirmedAt: null }
  }
}

/** An outcome of `identity.register`; `tokenId` is set with a confirmation. */
export function onIdentity(agent: Agent, chain: Chain, outcome: OutcomeOf, tokenId: string | null): Decision<Agent> | undefined {
  const before = agent.chains[chain].identity
  const identity = advance(before, outcome)
  if (!identity) return undefined
  const next = { ...identity, tokenId: identity.onChain?.status === 'confirmed' ? tokenId : null }
  const chainsNow = { ...agent.chains, [chain]: { ...agent.chains[chain], identity: next } }
  const { status, error } = progressOf(next)
  if (status === 'failed')
    return changed(agent, { chains: chainsNow }, [
      agentOnchainFailed.of({ agentId: agent.id, handle: agent.handle, chain, error: error ?? 'unknown', attempts: next.attempts }),
    ])
  if (status !== 'confirmed') return changed(agent, { chains: chainsNow })
  const drips = dripsOn.includes(chain) && agent.drip.onChain === null && agent.wallet !== null
  return changed(agent, { chains: chainsNow, ...(drips ? { drip: { ...agent.drip, onChain: sentOnChain } } : {}) }, [
    agentOnchainConfirmed.of(confirmation(agent, chain, next)),
    ...(drips ? [commands.gasDrip({ chain, wallet: agent.wallet! })] : []),
  ])
}

function confirmation(agent: Agent, chain: Chain, step: Registration['identity']): PayloadOf<typeof agentOnchainConfirmed> {
  return {
    agentId: agent.id,
    handle: agent.handle,
    wallet: agent.wallet ?? agent.formerWallet ?? '',
    chain,
    tokenId: step.tokenId ?? '',
    txHash: step.onChain?.txHash ?? '',
    blockNumber: step.onChain?.blockNumber ?? 0,
    preferred: chain === agent.preferredChain,
    confirmedAt: step.confirmedAt!.toISOString(),
  }
}

/** An outcome of `card.mint`. */
export function onCard(agent: Agent, chain: Chain, outcome: OutcomeOf): Decision<Agent> | undefined {
  const card = advance(agent.chains[chain].card, outcome)
  return card && changed(agent, { chains: { ...agent.chains, [chain]: { ...agent.chains[chain], card } } })
}

/** An outcome of `gas.drip`. */
export function onDrip(agent: Agent, outcome: OutcomeOf): Decision<Agent> | undefined {
  const drip = agent.drip.onChain === null ? undefined : advance(agent.drip, outcome)
  return drip && changed(agent, { drip })
}

const isOver = ({ onChain }: Step) => onChain?.status === 'confirmed' || onChain?.status === 'failed'
export const requestedChains = (agent: Agent): Chain[] => chains.filter(chain => agent.chains[chain].identity.onChain !== null)

/** Nothing more will come of the registration by itself: every network has answered, and gas money that is due has arrived. */
export const isSettled = (agent: Agent): boolean =>
  requestedChains(agent).every(chain => isOver(agent.chains[chain].identity)) && (agent.drip.onChain === null || isOver(agent.drip))

/** The status of the whole registration. */
export function registrationStatus(agent: Agent): 'pending' | 'completed' | 'partial' | 'failed' {
  const states = requestedChains(agent).map(chain => progressOf(agent.chains[chain].identity).status)
  if (states.some(state => state === 'pending')) return states.some(state => state === 'failed') ? 'partial' : 'pending'
  if (states.every(state => state === 'confirmed')) return 'completed'
  return states.every(state => state === 'failed') ? 'failed' : 'partial'
}
