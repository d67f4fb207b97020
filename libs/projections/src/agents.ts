import {
  type AgentRow,
  agentMigrated,
  agentRegistered,
  agentStatusChanged,
  agentUpdated,
  type Chain,
  type CloudEvent,
  heartbeatRecorded,
  identityApi,
  identitySnapshot,
  newAgentScore,
  type PayloadOf,
  refuse,
  reputationApi,
  reputationSnapshot,
  type ScoreRow,
  scoreChanged,
  skillAttached,
  skillRemoved,
  skillVerified,
  type Tier,
} from '@carapace/api'
import { on, type Platform, type Subscription, sharedRead } from '@carapace/service'
import { type FindOptions, type Indexes, projection } from '@carapace/store'

/** The facts of an agent that services project: its identity, and its scores from reputation. */
export interface AgentFacts {
  handle: string
  /** EIP-55; null when it was given up. */
  wallet: string | null
  walletKey: string | null
  status: 'active' | 'suspended' | 'migrated'
  platform: boolean
  skills: string[]
  verifiedSkills: string[]
  preferredChain: Chain
  registeredAt: Date
  lastSeenAt: Date
  fusedScore: number
  tier: Tier
  riskScore: number
}
export type Agent = AgentFacts & { id: string }

/** agent°, the short form inside other records. */
export type AgentRef = { id: string; handle: string | null; fusedScore: number; tier: string | null }

export interface AgentProjection {
  /** Feed it: spread these into the service's `events`. */
  subscriptions: Subscription[]
  get(id: string): Promise<Agent | undefined>
  /** The row of an id or handle, read again from its owners when it is missing. @throws NOT_FOUND, DEPENDENCY_UNAVAILABLE */
  need(idOrHandle: string): Promise<Agent>
  /** The row as its owners have it now: refusals (403, 404, 409) rest on this one only. @throws NOT_FOUND, DEPENDENCY_UNAVAILABLE */
  fresh(id: string): Promise<Agent>
  byWallet(wallet: string): Promise<Agent | undefined>
  many(ids: readonly string[]): Promise<Map<string, Agent>>
  /** Short forms by id; an unknown id gets nulls. */
  refs(ids: readonly (string | null | undefined)[]): Promise<(id: string) => AgentRef>
  find(filter: Record<string, unknown>, options?: FindOptions): Promise<Agent[]>
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const indexes: Indexes = {
  wallet_key: { key: { walletKey: 1 } },
  handle: { key: { handle: 1 } },
  eligible: { key: { status: 1, fusedScore: 1, lastSeenAt: 1 } },
}

/** This service's read copy of all agents. @param follow is given each row that an event was about @example const agents = agentProjection(platform) */
export function agentProjection({ db, peers }: Pick<Platform, 'db' | 'peers'>, follow?: (agent: Agent) => Promise<void>): AgentProjection {
  const rows = projection<AgentFacts>(db, { collection: 'agents', indexes })
  // Many calls of one agent, or about one, come at the same time.
  const rowNow = sharedRead((id: string) => rows.get(id))
  const applied = async (id: string, fields: Partial<AgentFacts>, event: { source: string; subject: string; aggregateversion: number }) => {
    const agent = full(await rows.apply(id, fields, event))
    if (agent) await follow?.(agent)
  }
  const full = (row: (Partial<AgentFacts> & { id: string }) | undefined) =>
    row?.handle === undefined ? undefined : ({ ...newAgentScore, ...row } as Agent)
  const ownSkills = ({ agentId, skills, verifiedSkills }: PayloadOf<typeof skillRemoved>, event: CloudEvent) =>
    applied(agentId, { skills, verifiedSkills }, event)

  const agents: AgentProjection = {
    subscriptions: [
      on(agentRegistered, (payload, event) =>
        applied(
          payload.agentId,
          { ...who(payload), registeredAt: new Date(payload.registeredAt), lastSeenAt: new Date(payload.registeredAt) },
          event,
        ),
      ),
      on(agentUpdated, ({ agentId, handle, skills, verifiedSkills }, event) => applied(agentId, { handle, skills, verifiedSkills }, event)),
      on(agentStatusChanged, ({ agentId, status, wallet }, event) =>
        applied(agentId, { status, wallet, walletKey: wallet?.toLowerCase() ?? null }, event),
      ),
      on(agentMigrated, ({ sourceAgentId }, event) => applied(sourceAgentId, { status: 'migrated' }, event)),
      on(heartbeatRecorded, ({ agentId, recordedAt }, event) => applied(agentId, { lastSeenAt: new Date(recordedAt) }, event)),
      on(skillAttached, ownSkills),
      on(skillRemoved, ownSkills),
      on(skillVerified, ownSkills),
      on(scoreChanged, ({ agentId, fusedScore, tier, riskScore }, event) => applied(agentId, { fusedScore, tier, riskScore }, event)),
      on(identitySnapshot, ({ id, version, row }, event) =>
        applied(id, ofAgentRow(row as unknown as AgentRow), { ...event, subject: id, aggregateversion: version }),
      ),
      on(reputationSnapshot, ({ id, version, row }, event) =>
        applied(id, ofScoreRow(row as unknown as ScoreRow), { ...event, subject: id, aggregateversion: version }),
      ),
    ],
    get: async id => full(await rowNow(id)),
    need: async idOrHandle => {
      if (uuid.test(idOrHandle)) return (await agents.get(idOrHandle)) ?? agents.fresh(idOrHandle)
      const known = full((await rows.find({ handle: idOrHandle }, { limit: 1 }))[0])
      if (known) return known
      const row = await peers.find('identity', identityApi.internal.getAgentRowByHandle, { params: { handle: idOrHandle } })
      return agents.fresh(row?.agentId ?? refuse('NOT_FOUND', { resource: 'agent' }))
    },
    fresh: sharedRead(async id => {
      const [agent, score] = await Promise.all([
        peers.find('identity', identityApi.internal.getAgentRow, { params: { id } }),
        peers.find('reputation', reputationApi.internal.getScoreRow, { params: { agentId: id } }),
      ])
      if (!agent) refuse('NOT_FOUND', { resource: 'agent' })
      await rows.apply(agent.agentId, ofAgentRow(agent), { source: '/carapace/identity', subject: agent.agentId, aggregateversion: agent.version })
      if (score)
        await rows.apply(agent.agentId, ofScoreRow(score), {
          source: '/carapace/reputation',
          subject: agent.agentId,
          aggregateversion: score.version,
        })
      return (await agents.get(agent.agentId)) ?? refuse('NOT_FOUND', { resource: 'agent' })
    }),
    byWallet: async wallet => full((await rows.find({ walletKey: wallet.toLowerCase() }, { limit: 1 }))[0]),
    many: async ids => new Map([...(await rows.many(ids))].flatMap(([id, row]) => (full(row) ? [[id, full(row)!]] : []))),
    refs: async ids => {
      const known = await rows.many([...new Set(ids.filter(id => typeof id === 'string'))])
      return id => {
        const row = known.get(id)
        return { id, handle: row?.handle ?? null, fusedScore: row?.fusedScore ?? newAgentScore.fusedScore, tier: row?.tier ?? newAgentScore.tier }
      }
    },
    find: async (filter, options) => (await rows.find(filter, options)).flatMap(row => full(row) ?? []),
  }
  return agents
}

type Who = Pick<AgentRow, 'handle' | 'wallet' | 'status' | 'platform' | 'skills' | 'verifiedSkills' | 'preferredChain'>

function who(row: Who): Omit<AgentFacts, 'registeredAt' | 'lastSeenAt' | 'fusedScore' | 'tier' | 'riskScore'> {
  const { handle, wallet, status, platform, skills, verifiedSkills, preferredChain } = row
  return { handle, wallet, walletKey: wallet?.toLowerCase() ?? null, status, platform, skills, verifiedSkills, preferredChain }
}

function ofAgentRow(row: AgentRow): Partial<AgentFacts> {
  return { ...who(row), registeredAt: new Date(row.registeredAt), lastSeenAt: new Date(row.lastSeenAt) }
}

function ofScoreRow({ fusedScore, tier, riskScore }: ScoreRow): Partial<AgentFacts> {
  return { fusedScore, tier, riskScore }
}
