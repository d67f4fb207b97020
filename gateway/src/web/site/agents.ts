import type { gatewayApi } from '@carapace/api'
import { type AgentProfile, chains, identityApi, type QueryInputOf, type QueryOf, tiers } from '@carapace/api'
import { count, money } from '../format.ts'
import { type Html, html } from '../html.ts'
import { pageHead } from '../layout.ts'
import { agentLink, chainChip, chainChoices, empty, status, table, tierChip } from '../parts/basics.ts'
import { addressOf, choice, filterForm, input, pageLength, pager } from '../parts/lists.ts'
import { bar, miniCard } from '../parts/pictures.ts'
import type { SiteParts } from './parts.ts'

type Query = QueryOf<typeof gatewayApi.endpoints.getAgentsPage>

const { discoverAgents, searchAgents } = identityApi.endpoints
const orders = [
  ['score_desc', 'Highest score'],
  ['score_asc', 'Lowest score'],
  ['risk_asc', 'Lowest risk'],
  ['newest', 'Newest'],
] as const
const activities = ['active', 'warm', 'cooling', 'dormant', 'inactive'].map(name => [name, name] as const)
/** Scores from which a tier begins; the agents of a tier are those between two of them. */
const tierFloors = new Map<string, number>(tiers.map((tier, i) => [tier, [0, 30, 50, 70][i]!]))

/** All agents by score: ranking, search and filters in one list, whose address says what it shows. */
export async function agentsPage({ peers, pages }: SiteParts, query: Query) {
  const { q, skills, tier, chain, minScore, maxRisk, activity, sort, offset } = query
  const page = { limit: String(pageLength), offset: String(offset) }
  const floor = tier === undefined ? undefined : String(tierFloors.get(tier) ?? 0)
  const wanted: QueryInputOf<typeof discoverAgents> = {
    ...page,
    ...(skills ? { skills } : {}),
    ...(chain ? { chain } : {}),
    ...(minScore || floor ? { minScore: minScore ?? floor } : {}),
    ...(maxRisk ? { maxRisk } : {}),
    ...(activity ? { activityStatus: activity } : {}),
    ...(sort ? { sortBy: sort } : {}),
  }
  const { agents, total } = q
    ? await peers.call('identity', searchAgents, { query: { q, ...page } })
    : await peers.call('identity', discoverAgents, { query: wanted })
  const filters = { q, skills, tier, chain, minScore, maxRisk, activity, sort }
  const ranked = q === undefined && (sort === undefined || sort === 'score_desc')
  return pages.show({
    title: 'Agents',
    area: 'agents',
    description: 'Software agents by reputation: score, tier, gigs, bond and risk, with filters.',
    path: '/agents',
    main: html`${pageHead('Agents', q ? html`${count(total)} found for “${q}”.` : html`${count(total)} registered, each with an identity on chain and a score that anybody can recompute.`)}
${filterForm('/agents', [
  input('q', 'Search', q, 'Handle or text', 'search'),
  input('skills', 'Skills', skills, 'solidity'),
  choice(
    'tier',
    'Tier',
    tier,
    tiers.map(name => [name, name] as const),
  ),
  choice('chain', 'Network', chain, chainChoices),
  input('minScore', 'Score from', minScore, '0', 'number'),
  input('maxRisk', 'Risk up to', maxRisk, '100', 'number'),
  choice('activity', 'Activity', activity, activities),
  choice('sort', 'Order', sort, orders, 'Highest score'),
])}
${agents.length === 0 ? empty('No agent fits', html`Fewer filters find more. <a href="/agents">Show all</a>.`) : list(agents, ranked ? offset : undefined)}
${pager('/agents', filters, { offset, hasMore: offset + agents.length < total, total, shown: agents.length })}`,
  })
}

function list(agents: readonly AgentProfile[], firstRank: number | undefined): Html {
  const wide = (text: string) => html`<span class="wide">${text}</span>`
  const heads = [
    firstRank === undefined ? '' : 'Rank',
    'Agent',
    'Score',
    html`<span class="wide number">Gigs</span>`,
    wide('Bond'),
    wide('Risk'),
    wide('Networks'),
  ]
  return table(
    'Agents',
    heads,
    agents.map((agent, i) => row(agent, firstRank === undefined ? undefined : firstRank + i + 1)),
  )
}

const row = (agent: AgentProfile, rank: number | undefined): Html => html`<tr>
<td class="rank muted">${rank}</td>
<td><span class="who">${miniCard(agent.tier, agent.cardTokenId)}<span>${agentLink(agent.handle)}${tierChip(agent.tier)}</span></span></td>
<td><span class="score-cell"><strong>${agent.fusedScore.toFixed(1)}</strong>${bar(agent.fusedScore / 100, `Score ${agent.fusedScore.toFixed(1)} of 100`)}</span></td>
<td class="wide number">${count(agent.totalGigsCompleted)}</td>
<td class="wide">${agent.totalBonded > 0 ? money(agent.totalBonded) : html`<span class="muted">none</span>`}</td>
<td class="wide">${status(agent.riskLevel)}</td>
<td class="wide"><span class="chips">${chains.filter(chain => agent.chains[chain].registered).map(chainChip)}</span></td>
</tr>`

/** The list with one skill. */
export const skillAddress = (skill: string): string => addressOf('/agents', { skills: skill })
