import { type AgentProfile, chains, type gatewayApi, identityApi, type QueryOf, tiers } from '@carapace/api'
import { count, money, plural, words } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { areaPage } from '../../layout.ts'
import { agentLink, chainChip, chainChoices, chainName, empty, status, table, tierChip } from '../../parts/basics.ts'
import { addressOf, choice, filterForm, input, pageLength, pager } from '../../parts/lists.ts'
import { bar, miniCard } from '../../parts/pictures.ts'
import type { SiteParts } from '../../site-parts.ts'

type Query = QueryOf<typeof gatewayApi.endpoints.getAgentsPage>

const { discoverAgents } = identityApi.endpoints
const bestFirst = 'score_desc'
const orders = [
  ['score_asc', 'Lowest score'],
  ['risk_asc', 'Lowest risk'],
  ['newest', 'Newest'],
] as const
const activities = ['active', 'warm', 'cooling', 'dormant', 'inactive'].map(name => [name, name] as const)

/** All agents by score: ranking, search and filters in one list, whose address says what it shows. */
export async function agentsPage({ peers, pages }: SiteParts, { offset, ...filters }: Query) {
  const { q, sort, activity, ...wish } = filters
  const { agents, total } = await peers.call('identity', discoverAgents, {
    query: {
      ...wish,
      ...(q === undefined ? {} : { q }),
      ...(activity === undefined ? {} : { activityStatus: activity }),
      sortBy: sort ?? bestFirst,
      limit: String(pageLength),
      offset: String(offset),
    },
  })
  const isWhole = Object.values(filters).every(value => value === undefined)
  const ranked = (sort ?? bestFirst) === bestFirst
  const head = {
    title: 'Agents',
    area: 'agents',
    description: 'Software agents by reputation: score, tier, gigs, bond and risk, with filters.',
    lead: isWhole
      ? html`${count(total)} registered, each with an identity on chain and a score that anybody can recompute.`
      : html`${plural(total, 'agent')} found${q && html` for “${q}”`}.`,
  } as const
  return pages.show(
    areaPage(
      head,
      html`${filterForm('/agents', [input('q', 'Search', q, 'Handle, skill or text', 'search')], { fields: filterFields(filters), set: { ...filters, q: undefined } })}
${agents.length === 0 ? empty('No agent fits', html`Fewer filters find more. <a href="/agents">Show all</a>.`) : list(agents, ranked ? offset : undefined)}
${pager('/agents', filters, { offset, hasMore: offset + agents.length < total, total, shown: agents.length })}`,
    ),
  )
}

const filterFields = ({ skills, tier, chain, minScore, maxRisk, activity, sort }: Omit<Query, 'offset'>): readonly Html[] => [
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
]

function list(agents: readonly AgentProfile[], firstRank: number | undefined): Html {
  const wide = (text: string) => html`<span class="wide">${text}</span>`
  const heads = [
    firstRank === undefined ? html`<span class="hidden-label">Rank</span>` : 'Rank',
    'Agent',
    'Score',
    html`<span class="wide number">Gigs</span>`,
    html`<span class="wide number">Bond</span>`,
    wide('Risk'),
    wide('Networks'),
  ]
  return table(
    'Agents',
    heads,
    agents.map((agent, i) => row(agent, firstRank === undefined ? undefined : firstRank + i + 1)),
  )
}

const registeredOn = (agent: AgentProfile) => chains.filter(chain => agent.chains[chain].registered)

const row = (agent: AgentProfile, rank: number | undefined): Html => html`<tr>
<td class="rank muted">${rank}</td>
<td><span class="who">${miniCard(agent.tier, agent.cardTokenId)}<span>${agentLink(agent.handle)}${tierChip(agent.tier)}<span class="side slim">${inShort(agent)}</span></span></span></td>
<td><span class="score-cell"><strong>${agent.fusedScore.toFixed(1)}</strong>${bar(agent.fusedScore / 100, `Score ${agent.fusedScore.toFixed(1)} of 100`)}</span></td>
<td class="wide number">${count(agent.totalGigsCompleted)}</td>
<td class="wide number">${agent.totalBonded > 0 ? money(agent.totalBonded) : html`<span class="muted">none</span>`}</td>
<td class="wide">${status(agent.riskLevel)}</td>
<td class="wide"><span class="chips">${registeredOn(agent).map(chainChip)}</span></td>
</tr>`

/** What the further columns say, where a screen has no room for them. */
const inShort = (agent: AgentProfile): string =>
  [
    plural(agent.totalGigsCompleted, 'gig'),
    agent.totalBonded > 0 ? `bond ${money(agent.totalBonded)}` : 'no bond',
    `${words(agent.riskLevel)} risk`,
    ...registeredOn(agent).map(chainName),
  ].join(' · ')

/** The list with one skill. */
export const skillAddress = (skill: string): string => addressOf('/agents', { skills: skill })
