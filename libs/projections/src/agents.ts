import { isDeepStrictEqual } from 'node:util'
import {
  type AgentRow,
  agentMigrated,
  agentRegistered,
  agentStatusChanged,
  agentUpdated,
  type Chain,
  heartbeatRecorded,
  identityApi,
  identitySnapshot,
  isScoreMoved,
  newAgentScore,
  newJudgement,
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

/** Who an agent is, as identity says. */
export interface IdentityFacts {
  handle: string
  /** EIP-55; null when it was abandoned. */
  wallet: string | null
  walletKey: string | null
  status: 'active' | 'suspended' | 'migrated'
  platform: boolean
  preferredChain: Chain
  registeredAt: Date
}
/** The facts of an agent that most services project: its identity, and its scores from reputation. */
export interface AgentFacts extends IdentityFacts {
  fusedScore: number
  tier: Tier
  riskScore: number
  /** How reliably it judges the work of others (J), in millionths. */
  judgement: number
}
export type AgentIdentity = IdentityFacts & { id: string }
export type Agent = AgentFacts & { id: string }
export type SkilledAgent = Agent & { skills: string[]; verifiedSkills: string[] }
/** As others see it; a row that was written before its avatar was read lacks that. */
export type ShownAgent = SkilledAgent & { avatar?: string | null }
/** With the time of its last sign of life. */
export type SeenAgent = SkilledAgent & { lastSeenAt: Date }

/** agent°, the short form inside other records. */
export type AgentRef = { id: string; handle: string | null; fusedScore: number; tier: string | null }

export interface AgentProjection<A extends AgentIdentity = Agent> {
  /** Feed it: spread these into the service's `events`. */
  subscriptions: Subscription[]
  get(id: string): Promise<A | undefined>
  /** The row of an id or handle, read again from its owners when it is missing. @throws NOT_FOUND, DEPENDENCY_UNAVAILABLE */
  need(idOrHandle: string): Promise<A>
  /** As `need`, for the path of a write, which names an agent by its UUID alone. @throws NOT_FOUND, DEPENDENCY_UNAVAILABLE */
  needById(id: string): Promise<A>
  /** The row as its owners have it now: refusals (403, 404, 409) rest on this one only. @throws NOT_FOUND, DEPENDENCY_UNAVAILABLE */
  fresh(id: string): Promise<A>
  byWallet(wallet: string): Promise<A | undefined>
  many(ids: readonly string[]): Promise<Map<string, A>>
  /** Short forms by id; an unknown id gets nulls. */
  refs(ids: readonly (string | null | undefined)[]): Promise<(id: string) => A extends Agent ? AgentRef : Pick<AgentRef, 'id' | 'handle'>>
  find(filter: Record<string, unknown>, options?: FindOptions): Promise<A[]>
  /** A document of the collection `agents`, read past this projection; undefined while identity has not announced the agent. */
  rowOf(document: object): A | undefined
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const indexes: Indexes = {
  wallet_key: { key: { walletKey: 1 } },
  handle: { key: { handle: 1 } },
  eligible: { key: { status: 1, fusedScore: 1, lastSeenAt: 1 } },
}

type Parts = Pick<Platform, 'db' | 'peers'>

/** An agent of which no score was received. */
const unscored = { ...newAgentScore, judgement: newJudgement }

/** This service's read copy of all agents with their scores. @example const agents = agentProjection(platform) */
export const agentProjection = (parts: Parts): AgentProjection => openAgents(parts, { scores: true })

/** This service's read copy of who all agents are. @example const agents = agentIdentities(platform) */
export const agentIdentities = (parts: Parts): AgentProjection<AgentIdentity> => openAgents(parts, { scores: false })

/** As `agentProjection`, with their skills and avatars. */
export const shownAgentProjection = (parts: Parts): AgentProjection<ShownAgent> =>
  openAgents(parts, { scores: true, skills: true, avatars: true }) as AgentProjection<ShownAgent>

/**
 * With their skills and when they were last seen.
 * @param follow is given each row that an event was about, of a score where it matters
 */
export const seenAgentProjection = (
  parts: Parts,
  follow: (agent: SeenAgent) => Promise<void>,
  scoreMatters: (changed: ScoreChange) => boolean,
): AgentProjection<SeenAgent> =>
  openAgents(parts, { scores: true, skills: true, follow: agent => follow(agent as SeenAgent), scoreMatters }) as AgentProjection<SeenAgent>

export type ScoreChange = PayloadOf<typeof scoreChanged>

interface Reads {
  scores: boolean
  skills?: boolean
  avatars?: boolean
  /** Given, the times of heartbeats are read, too. */
  follow?: (agent: Agent) => Promise<void>
  /** Whether a row is followed whose score has changed so. */
  scoreMatters?: (changed: ScoreChange) => boolean
}

type Row = AgentFacts & Pick<SeenAgent, 'skills' | 'verifiedSkills' | 'lastSeenAt'> & Pick<ShownAgent, 'avatar'>
type News = [fields: Partial<Row>, stamp: { source: string; subject: string; aggregateversion: number }]

function openAgents({ db, peers }: Parts, { scores, skills: withSkills = false, avatars = false, follow, scoreMatters }: Reads): AgentProjection {
  const rows = projection<Row>(db, { collection: 'agents', indexes })
  // Many calls of one agent, or about one, come at the same time.
  const rowNow = sharedRead((id: string) => rows.get(id))
  const applied = async (id: string, ...[fields, stamp]: News) => {
    if (!follow) return rows.apply(id, fields, stamp)
    const agent = full(await rows.applied(id, fields, stamp))
    if (agent) await follow(agent)
  }
  const full = (row: (Partial<Row> & { id: string }) | undefined) => (row?.handle === undefined ? undefined : ({ ...unscored, ...row } as Agent))
  const ownSkills = ({ skills, verifiedSkills }: Pick<Row, 'skills' | 'verifiedSkills'>): Partial<Row> =>
    withSkills ? { skills, verifiedSkills } : {}
  // an identity service of an earlier version does not say it
  const ownAvatar = ({ avatar }: Pick<Row, 'avatar'>): Partial<Row> => (avatars && avatar !== undefined ? { avatar } : {})
  const identityOf = (
    row: Named & Pick<Row, 'skills' | 'verifiedSkills' | 'avatar'> & { registeredAt: string; lastSeenAt: string },
  ): Partial<Row> => ({
    ...nameFacts(row),
    ...ownSkills(row),
    ...ownAvatar(row),
    registeredAt: new Date(row.registeredAt),
    ...(follow ? { lastSeenAt: new Date(row.lastSeenAt) } : {}),
  })
  const identitySubscriptions = [
    on(agentRegistered, (payload, event) => applied(payload.agentId, identityOf({ ...payload, lastSeenAt: payload.registeredAt }), event)),
    on(agentUpdated, (payload, event) => applied(payload.agentId, { handle: payload.handle, ...ownSkills(payload), ...ownAvatar(payload) }, event)),
    on(agentStatusChanged, ({ agentId, status, wallet }, event) =>
      applied(agentId, { status, wallet, walletKey: wallet?.toLowerCase() ?? null }, event),
    ),
    on(agentMigrated, ({ sourceAgentId }, event) => applied(sourceAgentId, { status: 'migrated' }, event)),
    on(identitySnapshot, ({ id, version, row }, event) =>
      applied(id, identityOf(row as unknown as AgentRow), { ...event, subject: id, aggregateversion: version }),
    ),
  ]
  const skillSubscriptions = [skillAttached, skillRemoved, skillVerified].map(definition =>
    on(definition, (payload, event) => applied(payload.agentId, ownSkills(payload), event)),
  )
  const scoreSubscriptions = [
    on(scoreChanged, async (changed, event) => {
      const { agentId, fusedScore, tier, riskScore, judgement } = changed
      // an event before this one has the same values
      if (!isScoreMoved(changed)) return
      const write = scoreMatters?.(changed) ? applied : rows.apply
      await write(agentId, { fusedScore, tier, riskScore, ...(judgement === undefined ? {} : { judgement }) }, event)
    }),
    on(reputationSnapshot, ({ id, version, row }, event) =>
      applied(id, ofScoreRow(row as unknown as ScoreRow), { ...event, subject: id, aggregateversion: version }),
    ),
  ]
  const seenSubscriptions = [on(heartbeatRecorded, ({ agentId, recordedAt }, event) => applied(agentId, { lastSeenAt: new Date(recordedAt) }, event))]

  /** Stores what the owners say where it differs from the row; mostly it does not. */
  const agreed = async (id: string, news: readonly News[]): Promise<Agent | undefined> => {
    const row = await rows.get(id)
    const present = { ...unscored, ...row }
    const differing = news.filter(([fields]) => !isDeepStrictEqual({ ...present, ...fields }, present))
    if (differing.length === 0) return full(row)
    await Promise.all(differing.map(([fields, stamp]) => rows.apply(id, fields, stamp)))
    return full(await rows.get(id))
  }

  const agents: AgentProjection = {
    subscriptions: [
      ...identitySubscriptions,
      ...(scores ? scoreSubscriptions : []),
      ...(withSkills ? skillSubscriptions : []),
      ...(follow ? seenSubscriptions : []),
    ],
    get: async id => full(await rowNow(id)),
    need: async idOrHandle => {
      if (uuid.test(idOrHandle)) return (await agents.get(idOrHandle)) ?? agents.fresh(idOrHandle)
      const found = full((await rows.find({ handle: idOrHandle }, { limit: 1 }))[0])
      if (found) return found
      const row = await peers.find('identity', identityApi.internal.getAgentRowByHandle, { params: { handle: idOrHandle } })
      return agents.fresh(row?.agentId ?? refuse('NOT_FOUND', { resource: 'agent' }))
    },
    needById: async id => (uuid.test(id) ? agents.need(id.toLowerCase()) : refuse('NOT_FOUND', { resource: 'agent' })),
    fresh: sharedRead(async id => {
      const [agent, score] = await Promise.all([
        peers.find('identity', identityApi.internal.getAgentRow, { params: { id } }),
        scores ? peers.find('reputation', reputationApi.internal.getScoreRow, { params: { agentId: id } }) : undefined,
      ])
      if (!agent) refuse('NOT_FOUND', { resource: 'agent' })
      const { agentId: subject } = agent
      const news: News[] = [
        [identityOf(agent), { source: '/carapace/identity', subject, aggregateversion: agent.version }],
        ...(score ? [[ofScoreRow(score), { source: '/carapace/reputation', subject, aggregateversion: score.version }] satisfies News] : []),
      ]
      return (await agreed(subject, news)) ?? refuse('NOT_FOUND', { resource: 'agent' })
    }),
    byWallet: async wallet => full((await rows.find({ walletKey: wallet.toLowerCase() }, { limit: 1 }))[0]),
    many: async ids => new Map([...(await rows.many(ids))].flatMap(([id, row]) => (full(row) ? [[id, full(row)!]] : []))),
    refs: async ids => refsIn(await rows.many([...new Set(ids.filter(id => typeof id === 'string'))])),
    find: async (filter, options) => (await rows.find(filter, options)).flatMap(row => full(row) ?? []),
    rowOf: document => full(rows.rowOf(document)),
  }
  return agents
}

/** As `refs`, of rows that have been read: an id that is not among them gets nulls. */
export const refsIn =
  (rows: ReadonlyMap<string, Pick<Agent, 'handle' | 'fusedScore' | 'tier'>>) =>
  (id: string): AgentRef => {
    const { handle = null, fusedScore = newAgentScore.fusedScore, tier = newAgentScore.tier } = rows.get(id) ?? {}
    return { id, handle, fusedScore, tier }
  }

type Named = Pick<AgentRow, 'handle' | 'wallet' | 'status' | 'platform' | 'preferredChain'>

function nameFacts(row: Named): Omit<IdentityFacts, 'registeredAt'> {
  const { handle, wallet, status, platform, preferredChain } = row
  return { handle, wallet, walletKey: wallet?.toLowerCase() ?? null, status, platform, preferredChain }
}

function ofScoreRow({ fusedScore, tier, riskScore, judgement = newJudgement }: ScoreRow): Partial<AgentFacts> {
  return { fusedScore, tier, riskScore, judgement }
}
