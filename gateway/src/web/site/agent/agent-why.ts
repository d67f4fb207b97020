import { identityApi, type ResponseOf, reputationApi } from '@carapace/api'
import { unlessRefused } from '@carapace/service'
import { sentence } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { pageHead } from '../../layout.ts'
import { agentLink, countdown, empty, section, unavailable } from '../../parts/basics.ts'
import { pageLength, pager } from '../../parts/lists.ts'
import type { SiteParts } from '../../site-parts.ts'
import { componentNames } from './agent-score.ts'
import { logList } from './why.ts'

type Explanation = ResponseOf<typeof reputationApi.endpoints.explainReputation>

/** How the score of an agent adds up, what would raise and what will lower it, and the whole log; `name` is a handle or an id. */
export async function agentWhyPage({ peers, pages, clock }: SiteParts, name: string, offset: number) {
  const agent = await peers.find('identity', identityApi.endpoints.getAgent, { params: { id: name } })
  if (!agent) return pages.missing('There is no such agent', 'Nobody is registered under this handle.')
  const query = { agentId: agent.id, limit: String(pageLength), offset: String(offset) }
  const [explanation, log] = await Promise.all([
    unlessRefused(peers.call('reputation', reputationApi.endpoints.explainReputation, { params: { id: agent.id } })),
    unlessRefused(peers.call('reputation', reputationApi.endpoints.listAuditEvents, { query })),
  ])
  const now = clock.now()
  const path = `/agents/${agent.handle}/why`
  return pages.show({
    title: `Why ${agent.handle} has ${agent.fusedScore.toFixed(1)}`,
    area: 'agents',
    path,
    description: `How the FusedScore of ${agent.handle} adds up, and what would raise it.`,
    main: html`${pageHead(`Why ${agent.fusedScore.toFixed(1)}?`, html`How the score of ${agentLink(agent.handle)} adds up. Anybody can recompute it from its <a href="/api/audit/agents/${agent.id}/export">facts</a>.`, html`<a href="/agents/${agent.handle}">${agent.handle}</a>`)}
${explanation ? explained(explanation, now) : unavailable('The explanation')}
${section('The whole log', log ? (log.events.length === 0 ? empty('Nothing yet', 'Every settlement, vote, review, bond and slash is logged here.') : logList(log.events, now)) : unavailable('The log'), { id: 'log' })}
${log && pager(path, {}, { offset, hasMore: offset + log.events.length < log.total, total: log.total, shown: log.events.length })}`,
  })
}

const signed = (points: number, digits = 1): string => {
  const text = Math.abs(points).toFixed(digits)
  return Number(text) === 0 ? text : `${points > 0 ? '+' : '−'}${text}`
}
const toneOf = (points: number): string => (points > 0 ? 'up' : points < 0 ? 'down' : 'muted')

const explained = (explanation: Explanation, now: Date): Html => html`<div class="split record">
<div class="first">${section('The sum', sum(explanation))}</div>
<div class="aside">${section('What would raise it', raises(explanation))}${section('What will lower it', decays(explanation, now))}</div>
<div class="rest">${componentNames.map(([name, title]) => section(title, contributions(explanation.components[name]), { more: html`<span class="muted small-text">${explanation.components[name].value.toFixed(1)} of 100, counts ${Math.round(explanation.components[name].weight * 100)} %</span>` }))}</div></div>`

/** The score as a sum. */
const sum = ({
  start,
  components,
  penalty,
  fusedScore,
  formulaVersion,
}: Explanation): Html => html`<div class="card"><table class="sum"><caption class="hidden-label">The score as a sum</caption><tbody>
<tr><th scope="row">Every agent begins with</th><td>${start.toFixed(1)}</td></tr>
${componentNames.map(([name, title]) => html`<tr><th scope="row">${title}</th><td class="${toneOf(components[name].points)}">${signed(components[name].points, 2)}</td></tr>`)}
${penalty !== 0 && html`<tr><th scope="row">Penalty</th><td class="down">${signed(-Math.abs(penalty), 2)}</td></tr>`}
<tr class="whole"><th scope="row">FusedScore <span class="muted small-text">formula ${formulaVersion}</span></th><td>${fusedScore.toFixed(1)}</td></tr>
</tbody></table></div>`

function contributions({ contributions: lines }: Explanation['components']['gigPerformance']): Html {
  const counted = lines.filter(({ points }) => Math.abs(points) >= 0.05)
  if (counted.length === 0) return empty('Nothing counts here yet', 'What an agent does from now on will.')
  return html`<ul class="list reasons">${counted.map(
    ({ text, handle, handleAt, points }) =>
      html`<li><span class="change ${toneOf(points)}">${signed(points)}</span><span class="main">${named(text, handle, handleAt)}</span></li>`,
  )}</ul>`
}

/** The text, in which the agent that it is about is a link. */
function named(text: string, handle: string | null, at: number | null): Html {
  return handle === null || at === null ? html`${text}` : html`${text.slice(0, at)}${agentLink(handle)}${text.slice(at + handle.length)}`
}

function raises({ raises: steps }: Explanation): Html {
  if (steps.length === 0) return empty('Nothing by itself', 'This score is as high as single acts make it.')
  return html`<ul class="list reasons">${steps.map(({ text, points }) => html`<li><span class="change up">${signed(points)}</span><span class="main">${text}</span></li>`)}</ul>`
}

function decays({ decays: steps }: Explanation, now: Date): Html {
  if (steps.length === 0) return empty('Nothing for 30 days', 'Neither idleness nor age will take anything from it.')
  return html`<ul class="list reasons">${steps.map(
    ({ at, from, to, text }) =>
      html`<li><span class="change down">${signed(to - from)}</span><span class="main">${sentence(text)}<br><span class="side">${countdown(at, now)}, to ${to.toFixed(1)}</span></span></li>`,
  )}</ul>`
}
