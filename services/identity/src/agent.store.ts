import { chains, refuse } from '@carapace/api'
import { type OnChain, perChain, sentOnChain } from '@carapace/chain'
import { type AggregateStore, aggregateStore, type Database, type Indexes, type Stored } from '@carapace/store'
import { type Agent, agentsCollection, type Step } from './agent.ts'
import { type Directory, openDirectory } from './directory/directory.ts'

const newest = { createdAt: -1, _id: -1 } as const

/** Paths of the status of each step that waits for the chain. */
export const pendingSteps = [...chains.flatMap(chain => [`chains.${chain}.identity`, `chains.${chain}.card`]), 'drip'].flatMap(step => [
  `${step}.onChain.status`,
  // of agents that were stored before `onChain` was one field
  `${step}.status`,
])
const indexes: Indexes = {
  handle: { key: { handle: 1 }, unique: true },
  wallet: { key: { walletKey: 1 }, unique: true, partialFilterExpression: { walletKey: { $type: 'string' } } },
  former_wallet: { key: { formerWallet: 1 }, partialFilterExpression: { formerWallet: { $type: 'string' } } },
  card: { key: { cardTokenId: 1 }, unique: true },
  token: { key: { tokenKeys: 1 } },
  revoked: { key: { revokedIndices: 1 }, partialFilterExpression: { revokedIndices: { $gte: 0 } } },
  skill_id: { key: { 'skills.id': 1 } },
  molt: { key: { 'standing.moltDomain': 1 }, partialFilterExpression: { 'standing.moltDomain': { $type: 'string' } } },
  status_newest: { key: { status: 1, ...newest } },
  registered_newest: { key: { registered: 1, status: 1, ...newest } },
  updated: { key: { updatedAt: 1 } },
  restricted_updated: { key: { updatedAt: 1, _id: 1 }, partialFilterExpression: { restricted: true } },
  ...Object.fromEntries(
    pendingSteps.map(step => [`pending_${step}`, { key: { [step]: 1 as const }, partialFilterExpression: { [step]: 'pending' } }]),
  ),
}

export type AgentStore = AggregateStore<Agent> &
  Directory & {
    /** By id, or by handle in upper or lower case. @throws NOT_FOUND */
    named(idOrHandle: string): Promise<Stored<Agent>>
    byHandle(handle: string): Promise<Stored<Agent> | undefined>
    byWallet(wallet: string): Promise<Stored<Agent> | undefined>
    /** The agent that gave this wallet (EIP-55) up. */
    byFormerWallet(wallet: string): Promise<Stored<Agent> | undefined>
    /** Who has this handle, who has this wallet (EIP-55), and who gave it up, in one read. */
    havingEither(handle: string, wallet: string): Promise<Record<'named' | 'holder' | 'former', Stored<Agent> | undefined>>
    byMolt(fullName: string): Promise<Stored<Agent> | undefined>
    byToken(chain: string, tokenId: string): Promise<Stored<Agent> | undefined>
    bySkillId(skillId: string): Promise<Stored<Agent> | undefined>
    byCard(cardTokenId: number): Promise<Stored<Agent> | undefined>
    /** Suspended, migrated, or with a policy: those that changed since then, the longest ago first. */
    restrictedSince(since: Date, limit: number): Promise<Stored<Agent>[]>
  }

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function agentStore(db: Database): AgentStore {
  const agents = aggregateStore<Agent>(db, {
    collection: agentsCollection,
    resource: 'agent',
    indexes,
    optimistic: 'alone',
    upgrade: upgradeAgent,
    duplicates: { handle: 'DUPLICATE_HANDLE', wallet: 'DUPLICATE_WALLET' },
  })
  const one = async (filter: Record<string, unknown>) => (await agents.find(filter, { sort: { _id: 1 }, limit: 1 }))[0]
  // no two have one handle: there is nothing to sort
  const byHandle = async (handle: string) => (await agents.find({ handle: handle.toLowerCase() }, { sort: {}, limit: 1 }))[0]
  return {
    ...agents,
    ...openDirectory(db, agentsCollection),
    byHandle,
    byWallet: wallet => one({ walletKey: wallet.toLowerCase() }),
    byFormerWallet: wallet => one({ formerWallet: wallet }),
    havingEither: async (givenHandle, wallet) => {
      const [handle, walletKey] = [givenHandle.toLowerCase(), wallet.toLowerCase()]
      const found = await agents.findAny([{ handle }, { walletKey }, { formerWallet: wallet }])
      return {
        named: found.find(agent => agent.handle === handle),
        holder: found.find(agent => agent.walletKey === walletKey),
        former: found.filter(agent => agent.formerWallet === wallet).sort((one, other) => (one.id < other.id ? -1 : 1))[0],
      }
    },
    byMolt: fullName => one({ 'standing.moltDomain': fullName.toLowerCase() }),
    byToken: (chain, tokenId) => one({ tokenKeys: `${chain}:${tokenId}` }),
    bySkillId: skillId => one({ 'skills.id': skillId }),
    byCard: cardTokenId => one({ cardTokenId }),
    restrictedSince: (since, limit) => agents.find({ restricted: true, updatedAt: { $gte: since } }, { sort: { updatedAt: 1, _id: 1 }, limit }),
    // nobody has a handle of 36 characters, so a UUID is never looked up as one
    named: async idOrHandle =>
      (await (uuid.test(idOrHandle) ? agents.get(idOrHandle.toLowerCase()) : byHandle(idOrHandle))) ?? refuse('NOT_FOUND', { resource: 'agent' }),
  }
}

/** Before `onChain` was one field, what was known of its command was part of a step. */
type OldStep = Omit<Step, 'onChain'> & Partial<Omit<OnChain, 'status'>> & { status?: OnChain['status'] | 'none' }

/** A stored agent in the present form. */
export function upgradeAgent<A extends Agent>(agent: A): A {
  const { chains: registrations, drip } = agent
  const steps = [drip, ...chains.flatMap(chain => [registrations[chain].identity, registrations[chain].card])]
  if (steps.every(({ onChain }) => onChain !== undefined)) return agent
  const upgraded = perChain(chain => ({ identity: upgradeStep(registrations[chain].identity), card: upgradeStep(registrations[chain].card) }))
  return { ...agent, chains: upgraded, drip: upgradeStep(drip) }
}

function upgradeStep<S extends Step>(step: S): S {
  if (step.onChain !== undefined) return step
  const { status = 'none', round = 0, seq = 0, txHash = null, blockNumber = null, error = null, ...rest } = step as S & OldStep
  return { ...(rest as unknown as S), onChain: status === 'none' ? null : { ...sentOnChain, status, txHash, blockNumber, error, round, seq } }
}
