import { type CommerceReceipt, commerceApi } from '@carapace/api'
import { networks } from '@carapace/chain'
import { content, type Platform, reply } from '@carapace/service'
import { type Html, html, page, pageHeaders } from './page.ts'
import { money, name, row } from './receipt-view.ts'
import { shareHead } from './share-head.ts'

/** The receipt of a commerce job as a page to share and print. */
export async function commerceReceiptPage({ peers }: Platform, jobId: string, publicBaseUrl: string) {
  const { getCommerceReceipt } = commerceApi.endpoints
  const receipt = await peers.find('commerce', getCommerceReceipt, { params: { id: jobId } })
  if (!receipt) return reply(404, Buffer.from(missing), { 'content-type': 'text/html; charset=utf-8', ...pageHeaders, 'cache-control': 'no-store' })
  return content('text/html; charset=utf-8', view(receipt, publicBaseUrl), pageHeaders)
}

function view(receipt: CommerceReceipt, publicBaseUrl: string): string {
  const { poster, assignee, jobId, onChainJobId, settledAt } = receipt
  const json = `/api/commerce/jobs/${encodeURIComponent(jobId)}/receipt`
  const title = `${receipt.title} · commerce receipt`
  const summary = `${money(receipt.netPaid)} paid to ${name(assignee)} by ${name(poster)}, ERC-8183 job ${onChainJobId}`
  return page({
    title,
    head: shareHead({
      title,
      summary,
      address: `${publicBaseUrl}/commerce-receipt/${encodeURIComponent(jobId)}`,
      picture: `${publicBaseUrl}${json}.png`,
    }),
    main: html`<article class="receipt">
<header><p class="brand">Carapace commerce receipt</p><h1>${String(receipt.title)}</h1></header>
<p class="amount">${money(receipt.netPaid)}</p>
<p class="verdict">ERC-8183 job ${onChainJobId}</p>
<dl>
${[
  row('Poster', party(poster)),
  row('Assignee', party(assignee)),
  row('Budget', money(receipt.budgetUsdc)),
  row('Platform fee', money(receipt.fee)),
  row('Paid to the assignee', money(receipt.netPaid)),
  row('Network', networks[receipt.chain].title),
  row('Settled', html`<time datetime="${settledAt}">${settledAt.slice(0, 19).replace('T', ' ')} UTC</time>`),
  row('Transaction', html`<code>${receipt.txHashSettled}</code>`),
  row('Content', html`<code>${receipt.ipfsReceiptUrl}</code>`),
]}
</dl>
<footer><p><a href="${json}">The same as JSON</a></p></footer>
</article>`,
  })
}

const party = (side: CommerceReceipt['poster']): Html => html`<strong>${name(side)}</strong><br><code>${side.wallet}</code>`

const missing = page({
  title: 'No such receipt · Carapace',
  main: html`<h1>There is no such receipt</h1><p>A receipt exists once a job is settled and its payment is confirmed.</p>`,
})
