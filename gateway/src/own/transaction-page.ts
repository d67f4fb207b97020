import { type Chain, type ChainLog, chainRelayerApi, type ResponseOf, usd } from '@carapace/api'
import { networks } from '@carapace/chain'
import { content, type Platform, reply } from '@carapace/service'
import { type Html, html, page, pageHeaders } from './page.ts'
import { money, row } from './receipt-view.ts'

const { chainTx } = chainRelayerApi.internal
type Transaction = ResponseOf<typeof chainTx>

/** A page shows so many logs; the whole transaction has more only in batches of scores. */
const shownLogs = 100
const zero = `0x${'0'.repeat(40)}`

/** What a transaction of the platform did, in words and with its logs. */
export async function transactionPage({ peers }: Platform, chain: Chain, hash: string) {
  const found = await peers.find('chain-relayer', chainTx, { params: { chain, hash } })
  const headers = { ...pageHeaders, ...(found?.final ? {} : { 'cache-control': 'no-store' }) }
  if (!found) return reply(404, Buffer.from(missing), { 'content-type': 'text/html; charset=utf-8', ...headers })
  return content('text/html; charset=utf-8', view(chain, found), headers)
}

function view(chain: Chain, transaction: Transaction): string {
  const { hash, from, to, success, blockNumber, blockTime, confirmations, final, logs } = transaction
  const time = new Date(blockTime * 1000).toISOString()
  const shown = logs.slice(0, shownLogs)
  return page({
    title: `Transaction ${hash.slice(0, 10)} · Carapace`,
    main: html`<article>
<header><p class="brand">Carapace transaction</p><h1>${headline(transaction)}</h1></header>
${shown.length > 1 ? html`<ol>${shown.map(log => html`<li>${sentence(log)}</li>\n`)}</ol>` : ''}
<dl>
${[
  row('Transaction', html`<code>${hash}</code>`),
  row('Network', networks[chain].title),
  row('Result', success ? 'carried out' : 'reverted: it changed nothing'),
  row('Block', `${blockNumber}, ${final ? 'final' : `${confirmations} confirmations`}`),
  row('Time', html`<time datetime="${time}">${time.slice(0, 19).replace('T', ' ')} UTC</time>`),
  row('From', html`<code>${from}</code>`),
  ...(to === null ? [] : [row('To', html`<code>${to}</code>`)]),
]}
</dl>
<h2>Logs</h2>
${shown.map(logView)}
${logs.length > shownLogs ? html`<p>${logs.length - shownLogs} more are not shown.</p>` : ''}
</article>`,
  })
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

const logView = ({ contract, event, args, address }: ChainLog): Html => html`<section>
<h3>${contract}.${event}</h3>
<dl>
${[row('contract', html`<code>${address}</code>`), ...Object.entries(args).map(([name, value]) => row(name, html`<code>${textOf(value)}</code>`))]}
</dl>
</section>
`

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 1000)
const short = (value: unknown): string => textOf(value).replace(/^(0x[0-9a-fA-F]{6})[0-9a-fA-F]{30}([0-9a-fA-F]{4})$/, '$1…$2')
const amount = (value: unknown): string => (/^\d{1,30}$/.test(textOf(value)) ? money(usd(BigInt(textOf(value)))) : textOf(value))

const missing = page({
  title: 'No such transaction · Carapace',
  main: html`<h1>There is no such transaction</h1><p>It was not mined, or a reorganisation took it back. Try again in a minute.</p>`,
})
