import { type AgentRow, identityApi } from '@carapace/api'
import { on, type Peers, type Subscription } from '@carapace/service'
import { type Database, type Projection, projection } from '@carapace/store'
import { Schema } from 'mongoose'

/** What the gateway knows of an agent. */
export interface KnownAgent {
  id: string
  /** EIP-55 form; null after the wallet was released. */
  wallet: string | null
  status: AgentRow['status']
  requireSignature: boolean
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
  freshById(id: string): Promise<KnownAgent | undefined>
  freshByWallet(wallet: string): Promise<KnownAgent | undefined>
}

const schema = new Schema<AgentRecord>({ wallet: String, walletKey: String, status: String, requireSignature: Boolean })
schema.index({ walletKey: 1 }, { name: 'wallet', sparse: true })

const { getAgentRow, getAgentRowByWallet } = identityApi.internal
const { agentRegistered, agentStatusChanged, agentUpdated, identitySnapshot } = identityApi.events

export type AgentRows = Projection<AgentRecord>

export const openAgentRows = (db: Database): AgentRows => projection<AgentRecord>(db, { collection: 'agents', schema })

/** Projects identity's events onto the copy. */
export const agentEvents = (rows: AgentRows): Subscription[] => [
  on(agentRegistered, (agent, event) => rows.apply(agent.agentId, { ...walletFields(agent.wallet), status: agent.status }, event)),
  on(agentStatusChanged, (agent, event) => rows.apply(agent.agentId, { ...walletFields(agent.wallet), status: agent.status }, event)),
  on(agentUpdated, (agent, event) =>
    rows.apply(agent.agentId, agent.requireSignature === undefined ? {} : { requireSignature: agent.requireSignature }, event),
  ),
  on(identitySnapshot, ({ id, version, row }, event) =>
    rows.apply(id, fieldsOf(row as unknown as AgentRow), { ...event, subject: id, aggregateversion: version }),
  ),
]

export function openAgents(rows: AgentRows, peers: Peers): Agents {
  const recordFact = async (row: AgentRow | undefined): Promise<KnownAgent | undefined> => {
    if (!row) return undefined
    const stamp = { source: '/carapace/identity', subject: row.agentId, aggregateversion: row.version }
    await rows.apply(row.agentId, fieldsOf(row), stamp)
    return { id: row.agentId, wallet: row.wallet, status: row.status, requireSignature: row.requireSignature }
  }
  return {
    byId: async id => known(await rows.get(id)),
    byWallet: async wallet => known((await rows.find({ walletKey: wallet.toLowerCase() }, { limit: 1 }))[0]),
    freshById: async id => recordFact(await peers.find('identity', getAgentRow, { params: { id } })),
    freshByWallet: async wallet => recordFact(await peers.find('identity', getAgentRowByWallet, { params: { wallet } })),
  }
}

const walletFields = (wallet: string | null) => ({ wallet, walletKey: wallet?.toLowerCase() ?? null })

const fieldsOf = (row: AgentRow): AgentRecord => ({ ...walletFields(row.wallet), status: row.status, requireSignature: row.requireSignature })

/** Undefined until enough events of the agent have arrived. */
function known(row: (AgentRecord & { id: string }) | undefined): KnownAgent | undefined {
  if (row?.status === undefined || row.wallet === undefined) return undefined
  return { id: row.id, wallet: row.wallet, status: row.status, requireSignature: row.requireSignature ?? false }
}
