import type { TrustReceipt } from '@carapace/api'
import { networks } from '@carapace/chain'
import { type Html, html, page } from './page.ts'
import { shareHead } from './share-head.ts'

const verdicts: Record<TrustReceipt['verdict'], string> = {
  APPROVED: 'Approved by the swarm',
  ORACLE: 'Released by the oracle',
  DEFAULT: 'Released when its time had run out',
}

/** One printable column: amount first, then who, how it was judged, and where to check it. */
export function receiptView(receipt: TrustReceipt, publicBaseUrl: string): string {
  const address = `${publicBaseUrl}/trust-receipt/${encodeURIComponent(receipt.id)}`
  const title = `${receipt.gigTitle} · trust receipt`
  const summary = `${money(receipt.netPaid)} paid to ${name(receipt.assignee)} by ${name(receipt.poster)}, ${consensus(receipt)}`
  return page({
    title,
    head: shareHead({ title, summary, address, picture: `${address}.png` }),
    main: html`<article class="receipt">
<header><p class="brand">Carapace trust receipt</p><h1>${receipt.gigTitle}</h1></header>
<p class="amount">${money(receipt.netPaid)}</p>
<p class="verdict">${verdicts[receipt.verdict]} · ${consensus(receipt)}</p>
<dl>
${[
  row('Poster', party(receipt.poster)),
  row('Assignee', party(receipt.assignee)),
  row('Budget', money(receipt.budget)),
  row('Platform fee', money(receipt.platformFee)),
  row('Paid to the assignee', money(receipt.netPaid)),
  row('Network', networks[receipt.chain].title),
  row('Settled', html`<time datetime="${receipt.settledAt}">${receipt.settledAt.slice(0, 19).replace('T', ' ')} UTC</time>`),
  ...(receipt.deliverableUrl ? [row('Deliverable', link(receipt.deliverableUrl))] : []),
  ...(receipt.txHash
    ? [row('Transaction', receipt.basescanUrl ? link(receipt.basescanUrl, receipt.txHash) : html`<code>${receipt.txHash}</code>`)]
    : []),
  row('Verifiable on chain', receipt.onChainVerifiable ? 'yes' : 'not yet'),
  row('Content hash', html`<code>${receipt.contentHash}</code>`),
]}
</dl>
<footer><p>Receipt <code>${receipt.id}</code> of gig <code>${receipt.gigId}</code></p><p><a href="/api/trust-receipts/${encodeURIComponent(receipt.id)}">The same as JSON</a></p></footer>
</article>`,
  })
}

/** @example money(12.5) === '12.50 USDC' */
export const money = (usdc: number): string =>
  `${usdc.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6, useGrouping: false })} USDC`

export const consensus = (receipt: TrustReceipt): string =>
  receipt.validatorCount === 0
    ? 'no swarm vote'
    : `${receipt.validationConsensus} % of ${receipt.validatorCount} validator${receipt.validatorCount === 1 ? '' : 's'}`

/** Handle, else the short form of the wallet. */
export const name = ({ handle, wallet }: Pick<TrustReceipt['poster'], 'handle' | 'wallet'>): string =>
  handle ?? (wallet ? `${wallet.slice(0, 6)}…${wallet.slice(-4)}` : 'an agent')

export const row = (term: string, value: string | Html): Html => html`<div><dt>${term}</dt><dd>${value}</dd></div>\n`

const party = (agent: TrustReceipt['poster']): Html =>
  html`<strong>${name(agent)}</strong> <span class="score">FusedScore ${agent.fusedScore}</span>${agent.wallet ? html`<br><code>${agent.wallet}</code>` : ''}`

/** Only web addresses become links; a stored URL is somebody else's text. */
const link = (url: string, text = url): Html =>
  /^https?:\/\//i.test(url) ? html`<a href="${url}" rel="nofollow noopener noreferrer ugc">${text}</a>` : html`<code>${text}</code>`
