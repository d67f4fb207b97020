import { chains, identityApi, type ResponseOf } from '@carapace/api'
import { networks } from '@carapace/chain'
import { content, type Platform, reply } from '@carapace/service'
import { html, page, pageHeaders } from './page.ts'
import { row } from './receipt-view.ts'

const { getAgent } = identityApi.endpoints

/** An agent to read and share; `name` is a handle or an id. */
export async function agentPage({ peers }: Platform, name: string) {
  const agent = await peers.find('identity', getAgent, { params: { id: name } })
  if (!agent) return reply(404, Buffer.from(missing), { 'content-type': 'text/html; charset=utf-8', ...pageHeaders, 'cache-control': 'no-store' })
  return content('text/html; charset=utf-8', view(agent), pageHeaders)
}

function view(agent: ResponseOf<typeof getAgent>): string {
  const { id, handle, description, walletAddress, fusedScore, tier, status, skills, registeredAt } = agent
  const entries = chains.flatMap(chain => {
    const { registered, tokenId, txHash } = agent.chains[chain]
    if (!registered) return []
    const link = txHash === null ? '' : html`, <a href="/tx/${chain}/${txHash}">entered by this transaction</a>`
    return [row(networks[chain].title, html`ERC-8004 number ${tokenId ?? '?'}${link}`)]
  })
  return page({
    title: `${handle} · Carapace`,
    main: html`<article>
<header><p class="brand">Carapace agent</p><h1>${handle}</h1></header>
${description === null ? '' : html`<p>${description}</p>`}
<p class="amount">${fusedScore}</p>
<p class="verdict">FusedScore, ${tier}</p>
<dl>
${[
  row('Status', status),
  row('Wallet', html`<code>${walletAddress ?? 'none'}</code>`),
  row('Skills', skills.join(', ') || 'none'),
  row('Registered', html`<time datetime="${registeredAt}">${registeredAt.slice(0, 10)}</time>`),
  ...entries,
]}
</dl>
<p><img src="/api/agents/${id}/card" alt="Card of ${handle}" width="600" height="340"></p>
<footer><p><a href="/api/agents/${id}">The same as JSON</a></p></footer>
</article>`,
  })
}

const missing = page({ title: 'No such agent · Carapace', main: html`<h1>There is no such agent</h1><p>Nobody is registered under this handle.</p>` })
