import { type Chain, type ChainLog, chainRelayerApi, type ResponseOf } from '@carapace/api'
import { type Html, html } from '../html.ts'
import { pageHead } from '../layout.ts'
import { chainName, chip, hash as hashView, moment, row, section } from '../parts/basics.ts'
import { gigOf, headline, sentence, textOf } from '../parts/transaction-words.ts'
import type { SiteParts } from './parts.ts'

const { chainTx } = chainRelayerApi.internal
type Transaction = ResponseOf<typeof chainTx>

/** A page shows so many logs; the whole transaction has more only in batches of scores. */
const shownLogs = 100

/** What a transaction of the platform did, in words and with its logs. */
export async function transactionPage({ peers, pages, clock }: SiteParts, chain: Chain, hash: string) {
  const found = await peers.find('chain-relayer', chainTx, { params: { chain, hash } })
  if (!found) return pages.missing('There is no such transaction', 'It was not mined, or a reorganisation took it back. Try again in a minute.')
  const title = headline(found)
  return pages.show(
    {
      title: `Transaction ${hash.slice(0, 10)}`,
      area: 'network',
      path: `/tx/${chain}/${hash}`,
      description: title,
      main: view(chain, found, title, clock.now()),
    },
    { caching: found.final ? 'shared' : 'private' },
  )
}

function view(chain: Chain, transaction: Transaction, title: string, now: Date): Html {
  const { hash, from, to, success, blockNumber, blockTime, confirmations, final, logs } = transaction
  const time = new Date(blockTime * 1000).toISOString()
  const shown = logs.slice(0, shownLogs)
  const gigId = gigOf(logs)
  return html`${pageHead(title, undefined, html`Transaction on ${chainName(chain)} ${success ? chip('carried out', 'good') : chip('reverted: it changed nothing', 'bad')}`)}
<div class="split"><div>
${shown.length > 1 && html`<ol class="list">${shown.map(log => html`<li><span class="main">${sentence(log)}</span></li>\n`)}</ol>`}
${section('Logs', html`<div class="cards">${shown.map(logView)}</div>${logs.length > shownLogs && html`<p>${logs.length - shownLogs} more are not shown.</p>`}`)}
</div><dl class="facts card">
${[
  row('Transaction', html`<code>${hash}</code>`),
  row('Network', chainName(chain)),
  row('Result', success ? 'carried out' : 'reverted: it changed nothing'),
  row('Block', `${blockNumber}, ${final ? 'final' : `${confirmations} confirmations`}`),
  row('Time', moment(time, now)),
  gigId !== undefined && row('Belongs to', html`<a href="/gigs/${gigId}">Its gig</a>`),
  row('From', hashView(from, 'sender')),
  to !== null && row('To', hashView(to, 'recipient')),
]}
</dl></div>`
}

const logView = ({ contract, event, args, address }: ChainLog): Html => html`<section class="card">
<h3>${contract}.${event}</h3>
<dl class="facts small-text">
${[row('contract', html`<code>${address}</code>`), ...Object.entries(args).map(([name, value]) => row(name, argument(value)))]}
</dl>
</section>
`

/** An address leads to the agent whose wallet it is. */
function argument(value: unknown): Html {
  const text = textOf(value)
  return /^0x[0-9a-f]{40}$/i.test(text) ? html`<a href="/search?q=${text}"><code>${text}</code></a>` : html`<code>${text}</code>`
}
