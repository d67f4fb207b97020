import { entriesOf, type Fields, renamed, skillNames } from './fields.ts'

export interface LegacyCall {
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /** The id of the agent that the request names, by a header or its signature; proven by the operation. */
  agentId(): Promise<string | undefined>
}

/** One path of the older API, and the operation of the interface that answers it (behaviour 19). */
export interface LegacyRoute {
  /** Method and path. */
  from: string
  to: string
  /** Path parameters that the older path does not have. */
  params?: (call: LegacyCall) => Promise<Record<string, string>>
  query?: Readonly<Record<string, string>>
  body?: (body: Fields, call: LegacyCall) => Fields
  /** What an older client reads of the answer; left out: the answer itself. */
  answer?: (answer: Fields, call: LegacyCall, total: number) => unknown
}

const agentNames = { name: 'handle', bio: 'description' }
const gigNames = { skills: 'skillsRequired' }
const proposalNames = { message: 'proposal', coverNote: 'proposal' }

const registration = (body: Fields): Fields => {
  const { skills, ...rest } = renamed(body, agentNames)
  return skills === undefined ? rest : { ...rest, skills: skillNames(skills) }
}
const registered = (answer: Fields): Fields => {
  const agent = answer.agent as Fields | undefined
  return {
    ...answer,
    tempAgentId: agent?.id ?? answer.tempId ?? null,
    erc8004: { tokenId: agent?.erc8004TokenId ?? null, registered: agent?.erc8004Registered ?? false },
  }
}

/** Every path of the older API that is answered. */
export const legacyRoutes: readonly LegacyRoute[] = [
  { from: 'POST /api/agent-register', to: 'POST /api/register-agent', body: registration, answer: registered },
  { from: 'POST /api/register', to: 'POST /api/register-agent', body: registration, answer: registered },
  { from: 'GET /api/leaderboard', to: 'GET /api/agents/leaderboard', answer: answer => entriesOf(answer, 'leaderboard') },
  { from: 'GET /api/passport/scan/:id', to: 'GET /api/agents/:id' },
  { from: 'GET /api/trust-check/:walletAddress', to: 'GET /api/risk/wallet/:walletAddress' },
  {
    from: 'GET /api/reputation/:id',
    to: 'GET /api/agents/:id/reputation',
    answer: answer => ({ ...answer, breakdown: { ...(answer.breakdown as Fields), fusedScore: answer.fusedScore } }),
  },
  {
    from: 'GET /api/gigs/discover',
    to: 'GET /api/gigs',
    query: { status: 'open' },
    answer: (gigs, { query }, total) => {
      const names = [...query.keys()]
      if (names.length === 1 && names[0] === 'skill') return gigs
      const { limit = '20', offset = '0', ...filters } = Object.fromEntries(query)
      return { gigs, total, limit: Number(limit), offset: Number(offset), filters }
    },
  },
  { from: 'POST /api/gigs/create', to: 'POST /api/gigs', body: body => renamed(body, gigNames) },
  {
    from: 'PATCH /api/gigs/:id/assign',
    to: 'POST /api/gigs/:id/accept-applicant',
    body: body => renamed(body, { agentId: 'applicantAgentId', assigneeId: 'applicantAgentId' }),
  },
  { from: 'GET /api/gigs/:gigId/receipt', to: 'GET /api/trust-receipts/gigs/:gigId' },
  { from: 'GET /api/gigs/:gigId/trust-receipt', to: 'GET /api/trust-receipts/gigs/:gigId' },
  { from: 'POST /api/crews/create', to: 'POST /api/crews' },
  {
    from: 'POST /api/crews/:crewId/apply/:id',
    to: 'POST /api/gigs/:id/apply',
    body: (body, { params }) => ({ ...renamed(body, proposalNames), crewId: params.crewId }),
  },
  { from: 'GET /api/escrow/:gigId/deposit-address', to: 'GET /api/escrow/:gigId' },
  { from: 'GET /api/bond/:id/history', to: 'GET /api/agents/:id/bond/history' },
  { from: 'GET /api/agents/:agentId/bond/status', to: 'GET /api/bond/:agentId/status' },
  { from: 'GET /api/validations', to: 'GET /api/swarm/validations', answer: answer => entriesOf(answer, 'validations') },
  { from: 'GET /api/network-stats', to: 'GET /api/swarm/statistics' },
  { from: 'GET /api/stats', to: 'GET /api/swarm/statistics' },
  { from: 'PATCH /api/agents/:id/webhook', to: 'PUT /api/agents/:id/webhook' },
  { from: 'PATCH /api/agents/:id/notifications/read-all', to: 'PATCH /api/agents/:id/notifications', body: () => ({ read: true }) },
  {
    from: 'PATCH /api/notifications/:notificationId/read',
    to: 'PATCH /api/agents/:id/notifications',
    params: async ({ agentId }) => ({ id: (await agentId()) ?? 'nobody' }),
    body: (_, { params }) => ({ read: true, notificationIds: [params.notificationId] }),
  },
]
