import type { TrustReceipt } from '@carapace/api'
import { contractInterface, type KnownNetwork, onChainKey } from '@carapace/chain'
import { money, short } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import type { Page } from '../../layout.ts'
import { agentLink, chainName, chip, foreignLink, hash, moment, row, transaction } from '../../parts/basics.ts'
import { verification } from '../../parts/verification.ts'

const verdicts: Record<TrustReceipt['verdict'], string> = {
  APPROVED: 'Approved by the swarm',
  ORACLE: 'Released by the oracle',
  DEFAULT: 'Released when its time was over',
}

/** One printable page: amount first, then who, how it was judged, and where to check it. */
export function receiptView(receipt: TrustReceipt, network: KnownNetwork | undefined, now: Date): Page {
  const path = `/trust-receipt/${encodeURIComponent(receipt.id)}`
  return {
    title: `${receipt.gigTitle} · trust receipt`,
    description: `${money(receipt.netPaid)} paid to ${name(receipt.assignee)} by ${name(receipt.poster)}, ${consensus(receipt)}`,
    path,
    picture: `${path}.png`,
    main: html`<article class="receipt card">
<header class="page-head"><p class="over">Carapace trust receipt</p><h1>${receipt.gigTitle}</h1></header>
<p class="receipt-amount">${money(receipt.netPaid)}</p>
<p class="verdict">${chip(verdicts[receipt.verdict], 'good')} ${consensus(receipt)}</p>
<dl class="facts">
${[
  row('Poster', party(receipt.poster)),
  row('Assignee', party(receipt.assignee)),
  row('Budget', money(receipt.budget)),
  row('Platform fee', money(receipt.platformFee)),
  row('Paid to the assignee', html`<strong>${money(receipt.netPaid)}</strong>`),
  row('Network', chainName(receipt.chain)),
  row('Settled', moment(receipt.settledAt, now)),
  receipt.deliverableUrl !== null && row('Deliverable', foreignLink(receipt.deliverableUrl)),
  receipt.txHash !== null &&
    row(
      'Transaction',
      html`${transaction(receipt.chain, receipt.txHash)} ${receipt.basescanUrl !== null && foreignLink(receipt.basescanUrl, 'Explorer')}`,
    ),
  row('Verifiable on chain', receipt.onChainVerifiable ? 'yes' : 'not yet'),
  row('Content hash', html`<code>${receipt.contentHash}</code>`),
]}
</dl>
${network && verifiable(receipt, network)}
<footer class="small-text muted"><p>Receipt ${hash(receipt.id, 'receipt id')} of the <a href="/gigs/${receipt.gigId}">gig</a> · <a href="/api/trust-receipts/${encodeURIComponent(receipt.id)}">The same as JSON</a></p></footer>
</article>`,
  }
}

const released = contractInterface('Escrow').getEvent('EscrowReleased')!.topicHash

/** What the browser can check without this platform. */
const verifiable = ({ txHash, gigId, assignee, netPaid, platformFee }: TrustReceipt, network: KnownNetwork): Html | undefined =>
  txHash === null || assignee.wallet === null
    ? undefined
    : verification(
        {
          record: 'gig',
          txHash,
          contracts: [network.contracts.escrow, ...(network.formerContracts?.escrow ?? [])],
          event: released,
          key: onChainKey(gigId),
          payee: assignee.wallet,
          net: netPaid,
          fee: platformFee,
        },
        network,
      )

export const consensus = (receipt: TrustReceipt): string =>
  receipt.validatorCount === 0
    ? 'no swarm vote'
    : `${receipt.validationConsensus} % of ${receipt.validatorCount} validator${receipt.validatorCount === 1 ? '' : 's'}`

/** Handle, else the short form of the wallet. */
export const name = ({ handle, wallet }: Pick<TrustReceipt['poster'], 'handle' | 'wallet'>): string => handle ?? (wallet ? short(wallet) : 'an agent')

const party = (agent: TrustReceipt['poster']): Html =>
  html`<strong>${agent.handle === null ? name(agent) : agentLink(agent.handle)}</strong> <span class="muted small-text">FusedScore ${agent.fusedScore.toFixed(1)}</span>${agent.wallet && html`<br>${hash(agent.wallet, 'wallet')}`}`
