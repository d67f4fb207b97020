import { type Chain, type ChainLog, chainRelayerApi, type ResponseOf, usd } from '@carapace/api'
import { money, short as shortened } from '../format.ts'
import { type Html, html } from '../html.ts'
import { pageHead } from '../layout.ts'
import { chainName, chip, hash as hashView, moment, row, section } from '../parts/basics.ts'
import type { SiteParts } from './parts.ts'

const { chainTx } = chainRelayerApi.internal
type Transaction = ResponseOf<typeof chainTx>

/** A page shows so many logs; the whole transaction has more only in batches of scores. */
const shownLogs = 100
const zero = `0x${'0'.repeat(40)}`

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
  row('From', hashView(from, 'sender')),
  to !== null && row('To', hashView(to, 'recipient')),
]}
</dl></div>`
}

function headline({ success, logs }: Transaction): string {
  if (!success) return 'This transaction was reverted'
  return logs.length === 1 ? sentence(logs[0]!) : `This transaction recorded ${logs.length} events`
}

/** What a log says to a person who knows no contract. */
function sentence({ contract, event, args }: ChainLog): string {
  const { from, to, value, owner, spender, tokenId, agentId } = args
  switch (`${contract}.${event}`) {
    case 'USDC.Transfer':
      if (from === zero) return `${short(to)} received ${amount(value)} that were minted`
      return `${short(from)} paid ${amount(value)} to ${short(to)}`
    case 'USDC.Approval':
      return `${short(owner)} permitted ${short(spender)} to draw ${amount(value)}`
    case 'IdentityRegistry.Registered':
      return `Agent ${short(agentId)} was entered in the identity registry for ${short(owner)}`
  }
  if (event === 'Transfer' && tokenId !== undefined)
    return from === zero ? `${contract}: a token was issued to ${short(to)}` : `${contract}: ${short(from)} gave a token to ${short(to)}`
  return `${contract}: ${event.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()}`
}

const logView = ({ contract, event, args, address }: ChainLog): Html => html`<section class="card">
<h3>${contract}.${event}</h3>
<dl class="facts small-text">
${[row('contract', html`<code>${address}</code>`), ...Object.entries(args).map(([name, value]) => row(name, html`<code>${textOf(value)}</code>`))]}
</dl>
</section>
`

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 1000)
const short = (value: unknown): string => {
  const text = textOf(value)
  return /^0x[0-9a-f]{40}$/i.test(text) ? shortened(text) : text
}
const amount = (value: unknown): string => (/^\d{1,30}$/.test(textOf(value)) ? money(usd(BigInt(textOf(value)))) : textOf(value))
