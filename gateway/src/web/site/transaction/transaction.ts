import { type Chain, type ChainLog, chainRelayerApi, type Network, type ResponseOf } from '@carapace/api'
import { count } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { pageHead } from '../../layout.ts'
import { agentLink, chainName, chip, foreignLink, hash as hashView, moment, row, section } from '../../parts/basics.ts'
import type { SiteParts } from '../../site-parts.ts'
import { textOf } from './log-phrases.ts'
import { headline, sentence } from './transaction-headline.ts'
import { type Names, namesIn } from './transaction-names.ts'
import { type Belonging, recordsOf } from './transaction-records.ts'

const { chainTx } = chainRelayerApi.internal
type Transaction = ResponseOf<typeof chainTx>

/** A page shows so many logs; the whole transaction has more only in batches of scores. */
const shownLogs = 100

/** What a transaction of the platform did, in words and with its logs. */
export async function transactionPage(parts: SiteParts, chain: Chain, hash: string) {
  const { peers, pages, clock } = parts
  const found = await peers.find('chain-relayer', chainTx, { params: { chain, hash } })
  if (!found) return pages.missing('There is no such transaction', 'It was not mined, or a reorganisation took it back. Try again in a minute.')
  const network = (await parts.networks().catch(() => [])).find(one => one.chain === chain)
  const [names, belongings] = await Promise.all([namesIn(parts, network, found.logs), recordsOf(parts, chain, found.logs)])
  const title = headline(found, names.called)
  return pages.show(
    {
      title: `Transaction ${hash.slice(0, 10)}`,
      area: 'network',
      path: `/tx/${chain}/${hash}`,
      description: title,
      main: html`${pageHead(title, undefined, html`Transaction on ${chainName(chain)} ${result(found)}`)}
<div class="split record"><div class="first">${words(found, names)}</div>
<div class="aside">${facts(found, network, belongings, clock.now())}</div>
<div class="rest">${section('Logs', logList(found, names), { more: html`<span class="muted small-text">as the contracts wrote them</span>` })}</div></div>`,
    },
    { caching: found.final ? 'shared' : 'private' },
  )
}

const result = ({ success }: Transaction): Html => (success ? chip('carried out', 'good') : chip('reverted: it changed nothing', 'bad'))

/** Each log in one sentence, in its order. */
const words = ({ logs }: Transaction, { called }: Names): Html =>
  html`<ol class="list deeds">${logs.slice(0, shownLogs).map(log => html`<li><span class="main">${sentence(log, called)}</span></li>\n`)}${logs.length === 0 && html`<li>It recorded nothing.</li>`}</ol>`

function facts(found: Transaction, network: Network | undefined, belongings: readonly Belonging[], now: Date): Html {
  const { hash, from, to, blockNumber, blockTime, confirmations, final } = found
  const time = new Date(blockTime * 1000).toISOString()
  const explorerUrl = network?.explorerUrl ?? null
  return html`<dl class="facts card">
${[
  belongings.length > 0 &&
    row('Belongs to', html`<ul class="plain">${belongings.map(({ kind, name, href }) => html`<li>${kind} <a href="${href}">${name}</a></li>`)}</ul>`),
  row(
    'Transaction',
    html`<code>${hash}</code>${explorerUrl !== null && html`<br>${foreignLink(`${explorerUrl}/tx/${hash}`, 'See it in the explorer')}`}`,
  ),
  row('Block', `${count(blockNumber)}, ${final ? 'final' : `${count(confirmations)} confirmations`}`),
  row('Time', moment(time, now)),
  row('From', hashView(from, 'sender')),
  to !== null && row('To', hashView(to, 'recipient')),
]}
</dl>`
}

const logList = ({ logs }: Transaction, names: Names): Html =>
  html`<div class="logs">${logs.slice(0, shownLogs).map(log => logView(log, names))}</div>${logs.length > shownLogs && html`<p>${count(logs.length - shownLogs)} more are not shown.</p>`}`

const logView = (
  { contract, event, args, address }: ChainLog,
  { handleOf }: Names,
): Html => html`<details class="card log"><summary><code>${contract}.${event}</code></summary>
<dl class="facts small-text">
${[row('contract', html`<code>${address}</code>`), ...Object.entries(args).map(([name, value]) => row(name, argument(value, handleOf(value))))]}
</dl>
</details>
`

/** An address leads to the agent whose wallet it is. */
function argument(value: unknown, handle: string | undefined): Html {
  const text = textOf(value)
  if (handle !== undefined) return html`<code>${text}</code> ${agentLink(handle)}`
  return /^0x[0-9a-f]{40}$/i.test(text) ? html`<a href="/search?q=${text}"><code>${text}</code></a>` : html`<code>${text}</code>`
}
