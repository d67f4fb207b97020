import { type CommerceReceipt, commerceApi } from '@carapace/api'
import { contractInterface, jobIdTopic, type KnownNetwork } from '@carapace/chain'
import { money } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import type { Page } from '../../layout.ts'
import { agentLink, chainName, foreignLink, hash, moment, row, transaction } from '../../parts/basics.ts'
import { verification } from '../../parts/verification.ts'
import type { SiteParts } from '../../site-parts.ts'
import { name } from './receipt-view.ts'

/** The receipt of a commerce job as a page to share and print. */
export async function commerceReceiptPage({ peers, pages, clock, networks }: SiteParts, jobId: string) {
  const { getCommerceReceipt } = commerceApi.endpoints
  const receipt = await peers.find('commerce', getCommerceReceipt, { params: { id: jobId } })
  if (!receipt) return pages.missing('There is no such receipt', 'A receipt exists once a job is settled and its payment is confirmed.')
  const network = (await networks().catch(() => [])).find(({ chain }) => chain === receipt.chain)
  return pages.show(view(receipt, network, clock.now()), { caching: 'shared' })
}

function view(receipt: CommerceReceipt, network: KnownNetwork | undefined, now: Date): Page {
  const { poster, assignee, jobId, onChainJobId, settledAt } = receipt
  const json = `/api/commerce/jobs/${encodeURIComponent(jobId)}/receipt`
  return {
    title: `${receipt.title} · commerce receipt`,
    description: `${money(receipt.netPaid)} paid to ${name(assignee)} by ${name(poster)}, ERC-8183 job ${onChainJobId}`,
    path: `/commerce-receipt/${encodeURIComponent(jobId)}`,
    picture: `${json}.png`,
    main: html`<article class="receipt card">
<header class="page-head"><p class="over">Carapace commerce receipt</p><h1>${receipt.title}</h1></header>
<p class="receipt-amount">${money(receipt.netPaid)}</p>
<p class="verdict">ERC-8183 job ${onChainJobId}</p>
<dl class="facts">
${[
  row('Poster', party(poster)),
  row('Assignee', party(assignee)),
  row('Budget', money(receipt.budgetUsdc)),
  row('Platform fee', money(receipt.fee)),
  row('Paid to the assignee', html`<strong>${money(receipt.netPaid)}</strong>`),
  row('Network', chainName(receipt.chain)),
  row('Settled', moment(settledAt, now)),
  row('Transaction', html`${transaction(receipt.chain, receipt.txHashSettled)}${explorerLink(network, receipt.txHashSettled)}`),
  row('Content', html`<code>${receipt.ipfsReceiptUrl}</code>`),
]}
</dl>
${network && verifiable(receipt, network)}
<footer class="small-text muted"><p><a href="/jobs/${jobId}">The job</a> · <a href="${json}">The same as JSON</a></p></footer>
</article>`,
  }
}

const explorerLink = (network: KnownNetwork | undefined, txHash: string): Html | undefined =>
  network?.explorerUrl ? html` ${foreignLink(`${network.explorerUrl}/tx/${txHash}`, 'Explorer')}` : undefined

const topicOf = (event: string): string => contractInterface('Commerce').getEvent(event)!.topicHash

/** What the browser can check without this platform. */
const verifiable = ({ txHashSettled, onChainJobId, assignee, netPaid, fee }: CommerceReceipt, network: KnownNetwork): Html =>
  verification(
    {
      record: 'job',
      txHash: txHashSettled,
      contracts: [network.contracts.commerce, ...(network.formerContracts?.commerce ?? [])],
      event: topicOf('JobSettled'),
      feeEvent: topicOf('PlatformFeePaid'),
      key: jobIdTopic(BigInt(onChainJobId)),
      payee: assignee.wallet,
      net: netPaid,
      fee,
    },
    network,
  )

const party = (side: CommerceReceipt['poster']): Html =>
  html`<strong>${side.handle === null ? name(side) : agentLink(side.handle)}</strong><br>${hash(side.wallet, 'wallet')}`
