import { type AgentRow, type Chain, identityApi } from '@carapace/api'
import { on, type Peers, type Subscription, sharedRead } from '@carapace/service'
import { type Database, type Indexes, type Projection, projection } from '@carapace/store'
import { rowsInMemory } from './rows-in-memory.ts'
import { type UnknownIds, unknownIds } from './unknown-ids.ts'

export const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const walletForm = /^0x[0-9a-f]{40}$/

/** What the gateway knows of an agent. */
export interface KnownAgent {
  id: string
  /** EIP-55 form; null after the wallet was released. */
  wallet: string | null
  status: AgentRow['status']
  requireSignature: boolean
}

/** Read from identity itself. A read for a caller that is refused must write nothing, so the one that accepts the agent saves it. */
export interface FreshAgent extends KnownAgent {
  /** Puts it into the gateway's own copy. */
  save(): Promise<void>
}

interface AgentRecord extends Omit<KnownAgent, 'id'> {
  /** The wallet in lower case, for queries. */
  walletKey: string | null
}

/** Reads of agents: from the gateway's own copy, and from their owner before anybody is refused. */
export interface Agents {
  byId(id: string): Promise<KnownAgent | undefined>
  byWallet(wallet: string): Promise<KnownAgent | undefined>
  /** From identity itself. @throws DEPENDENCY_UNAVAILABLE */
  freshById(id: string): Promise<FreshAgent | undefined>
  freshByWallet(wallet: string): Promise<FreshAgent | undefined>
  /** The network that the agent of this wallet prefers, from identity itself; undefined without such an agent. @throws DEPENDENCY_UNAVAILABLE */
  chainOf(wallet: string): Promise<Chain | undefined>
}

const indexes: Indexes = {
  wallet: { key: { walletKey: 1 }, sparse: true },
}

const { getAgentRow, getAgentRowByWallet } = identityApi.internal
const { agentRegistered, agentStatusChanged, agentUpdated, identitySnapshot } = identityApi.events

export type AgentRows = Projection<AgentRecord> & {
  /** Ids that identity did not know a moment ago. */
  unknown: UnknownIds
}

export const openAgentRows = (db: Database): AgentRows => {
  const rows = projection<AgentRecord>(db, { collection: 'agents', indexes })
  return { ...rows, ...rowsInMemory(rows, db), unknown: unknownIds() }
}

/** Projects identity's events onto the copy. */
export const agentEvents = (rows: AgentRows): Subscription[] => [
  on(agentRegistered, (agent, event) => {
    rows.unknown.forget(agent.agentId)
    return rows.apply(agent.agentId, { ...walletFields(agent.wallet), status: agent.status }, event)
  }),
  on(agentStatusChanged, (agent, event) => rows.apply(agent.agentId, { ...walletFields(agent.wallet), status: agent.status }, event)),
  on(agentUpdated, (agent, event) =>
    rows.apply(agent.agentId, agent.requireSignature === undefined ? {} : { requireSignature: agent.requireSignature }, event),
  ),
  on(identitySnapshot, ({ id, version, row }, event) =>
    rows.apply(id, fieldsOf(row as unknown as AgentRow), { ...event, subject: id, aggregateversion: version }),
  ),
]

export function openAgents(rows: AgentRows, peers: Peers): Agents {
  const fresh = (row: AgentRow | undefined): FreshAgent | undefined => {
    if (!row) return undefined
    const { agentId: id, wallet, status, requireSignature } = row
    return { id, wallet, status, requireSignature, save: () => saveRow(rows, row) }
  }
  return {
    byId: sharedRead(async id => knownAgent(await rows.get(id))),
    byWallet: async wallet => knownAgent((await rows.find({ walletKey: wallet.toLowerCase() }, { limit: 1 }))[0]),
    freshById: async id => {
      if (rows.unknown.has(id)) return undefined
      const row = await peers.find('identity', getAgentRow, { params: { id } })
      if (!row) rows.unknown.add(id)
      return fresh(row)
    },
    freshByWallet: async wallet => fresh(await peers.find('identity', getAgentRowByWallet, { params: { wallet } })),
    chainOf: async wallet => (await peers.find('identity', getAgentRowByWallet, { params: { wallet } }))?.preferredChain,
  }
}

/** Puts what identity has answered into the copy; what events have written since stays. */
export const saveRow = (rows: AgentRows, row: AgentRow): Promise<void> =>
  rows.apply(row.agentId, fieldsOf(row), { source: '/carapace/identity', subject: row.agentId, aggregateversion: row.version })

const walletFields = (wallet: string | null) => ({ wallet, walletKey: wallet?.toLowerCase() ?? null })

const fieldsOf = (row: AgentRow): AgentRecord => ({ ...walletFields(row.wallet), status: row.status, requireSignature: row.requireSignature })

/** Undefined until enough events of the agent have arrived. */
function knownAgent(row: (AgentRecord & { id: string }) | undefined): KnownAgent | undefined {
  if (row?.status === undefined || row.wallet === undefined) return undefined
  return { id: row.id, wallet: row.wallet, status: row.status, requireSignature: row.requireSignature ?? false }
}
