import { chains, refuse } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Stored } from '@carapace/store'
import { Schema } from 'mongoose'
import type { Agent } from './agent.ts'
import { type Directory, openDirectory } from './directory.ts'

export const agentsCollection = 'agents'

const schema = new Schema<Agent>({
  handle: String,
  walletKey: String,
  status: String,
  formerWallet: String,
  hireable: Boolean,
  registered: Boolean,
  preferredChain: String,
  skillNames: [String],
  tokenKeys: [String],
  cardTokenId: Number,
  lastSeenAt: Date,
  standing: Schema.Types.Mixed,
})
const newest = { createdAt: -1, _id: -1 } as const
schema.index({ handle: 1 }, { name: 'handle', unique: true })
schema.index({ walletKey: 1 }, { name: 'wallet', unique: true, partialFilterExpression: { walletKey: { $type: 'string' } } })
schema.index({ formerWallet: 1 }, { name: 'former_wallet', partialFilterExpression: { formerWallet: { $type: 'string' } } })
schema.index({ cardTokenId: 1 }, { name: 'card', unique: true })
schema.index({ tokenKeys: 1 }, { name: 'token' })
schema.index({ 'skills.id': 1 }, { name: 'skill_id' })
schema.index({ 'standing.moltDomain': 1 }, { name: 'molt', partialFilterExpression: { 'standing.moltDomain': { $type: 'string' } } })
schema.index({ status: 1, ...newest }, { name: 'status_newest' })
schema.index({ registered: 1, status: 1, ...newest }, { name: 'registered_newest' })
schema.index({ updatedAt: 1 }, { name: 'updated' })

/** Paths of the status of each step that waits for the chain. */
export const pendingSteps = [...chains.flatMap(chain => [`chains.${chain}.identity.status`, `chains.${chain}.card.status`]), 'drip.status']
for (const step of pendingSteps) schema.index({ [step]: 1 }, { name: `pending_${step}`, partialFilterExpression: { [step]: 'pending' } })

export type AgentStore = AggregateStore<Agent> &
  Directory & {
    /** By id, or by handle in upper or lower case. @throws NOT_FOUND */
    named(idOrHandle: string): Promise<Stored<Agent>>
    byHandle(handle: string): Promise<Stored<Agent> | undefined>
    byWallet(wallet: string): Promise<Stored<Agent> | undefined>
    /** The agent that gave this wallet (EIP-55) up. */
    byFormerWallet(wallet: string): Promise<Stored<Agent> | undefined>
    byMolt(fullName: string): Promise<Stored<Agent> | undefined>
    byToken(chain: string, tokenId: string): Promise<Stored<Agent> | undefined>
    bySkillId(skillId: string): Promise<Stored<Agent> | undefined>
    byCard(cardTokenId: number): Promise<Stored<Agent> | undefined>
  }

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function agentStore(db: Database): AgentStore {
  const agents = aggregateStore<Agent>(db, {
    collection: agentsCollection,
    resource: 'agent',
    schema,
    duplicates: { handle: 'DUPLICATE_HANDLE', wallet: 'DUPLICATE_WALLET' },
  })
  const one = async (filter: Record<string, unknown>) => (await agents.find(filter, { sort: { _id: 1 }, limit: 1 }))[0]
  const byHandle = (handle: string) => one({ handle: handle.toLowerCase() })
  return {
    ...agents,
    ...openDirectory(db, agentsCollection),
    byHandle,
    byWallet: wallet => one({ walletKey: wallet.toLowerCase() }),
    byFormerWallet: wallet => one({ formerWallet: wallet }),
    byMolt: fullName => one({ 'standing.moltDomain': fullName.toLowerCase() }),
    byToken: (chain, tokenId) => one({ tokenKeys: `${chain}:${tokenId}` }),
    bySkillId: skillId => one({ 'skills.id': skillId }),
    byCard: cardTokenId => one({ cardTokenId }),
    // nobody has a handle of 36 characters, so a UUID is never looked up as one
    named: async idOrHandle =>
      (await (uuid.test(idOrHandle) ? agents.get(idOrHandle.toLowerCase()) : byHandle(idOrHandle))) ?? refuse('NOT_FOUND', { resource: 'agent' }),
  }
}
