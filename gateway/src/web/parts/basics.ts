import { type Chain, chains } from '@carapace/api'
import { networks } from '@carapace/chain'
import { exact, money, relative, rounded, sentence, short, words } from '../format.ts'
import { type Html, html, type Piece } from '../html.ts'

/** A moment in words; the exact one on hover. */
export const moment = (at: string, now: Date): Html => html`<time datetime="${at}" title="${exact(at)}">${relative(at, now)}</time>`

/** A moment that lies ahead and is counted down by the script. */
export const countdown = (at: string, now: Date): Html =>
  html`<time class="countdown" datetime="${at}" title="${exact(at)}" data-countdown>${relative(at, now)}</time>`

/** An amount to the cent; the exact one on hover. */
export const amount = (usdc: number): Html => {
  const [shown, whole] = [`${rounded(usdc)} USDC`, money(usdc)]
  return html`<span class="amount"${shown !== whole && html` title="${whole}"`}>${shown}</span>`
}

/** Copies a text; shown where scripts run. */
export const copyButton = (text: string, what: string): Html =>
  html`<button type="button" class="copy" data-copy="${text}" aria-label="Copy ${what}" hidden><svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M3.5 10.5h-1v-8h8v1"/></svg></button>`

/** Lines to copy. */
export const codeBlock = (text: string, what: string): Html =>
  html`<div class="code"><pre tabindex="0" aria-label="${what}"><code>${text}</code></pre>${copyButton(text, what)}</div>`

/** A hash or an address: shortened, whole on hover, with a copy button. */
export const hash = (value: string, what: string, href?: string): Html => {
  const text = html`<code title="${value}">${short(value)}</code>`
  return html`<span class="hash">${href === undefined ? text : html`<a href="${href}">${text}</a>`}${copyButton(value, what)}</span>`
}

/** A transaction: the page of the site that says what it did. */
export const transaction = (chain: Chain, txHash: string): Html => hash(txHash, 'transaction hash', `/tx/${chain}/${txHash}`)

export const agentLink = (name: string): Html => html`<a class="agent" href="/agents/${encodeURIComponent(name)}">${name}</a>`

/** Only web addresses become links: a stored URL is somebody else's text. */
export const foreignLink = (url: string, text: Piece = url): Html =>
  /^https?:\/\//i.test(url) ? html`<a href="${url}" rel="nofollow noopener noreferrer ugc">${text}</a>` : html`<code>${text}</code>`

type Tone = 'good' | 'warn' | 'bad' | 'calm' | 'accent'
export const chip = (text: string, tone: Tone = 'calm'): Html => html`<span class="chip ${tone}">${sentence(text)}</span>`

export const chainChip = (chain: Chain): Html => html`<span class="chip chain">${chainName(chain)}</span>`
export const chainName = (chain: Chain): string => networks[chain].title
/** Values and names of a choice between networks. */
export const chainChoices = chains.map(chain => [chain, networks[chain].title] as const)

const tones: Readonly<Record<string, Tone>> = {
  ...{ open: 'accent', assigned: 'calm', pending_validation: 'warn', completed: 'good', cancelled: 'calm', disputed: 'bad' },
  ...{ funded: 'accent', submitted: 'warn', settled: 'good', rejected: 'bad' },
  ...{ pending: 'warn', approved: 'good', expired: 'calm', superseded: 'calm' },
  ...{ funding: 'warn', locked: 'accent', releasing: 'warn', released: 'good', refunding: 'warn', refunded: 'calm', unfunded: 'calm' },
  ...{ low: 'good', medium: 'warn', high: 'bad' },
  ...{ active: 'good', warm: 'good', cooling: 'warn', suspended: 'bad', migrated: 'calm' },
  ...{ HIRE: 'good', CAUTION: 'warn', AVOID: 'bad', approve: 'good', reject: 'bad' },
}
/** A state of any record in its colour. */
export const status = (state: string): Html => chip(words(state), tones[state])

export const tierChip = (tier: string): Html => html`<span class="chip tier ${tier.toLowerCase().replace(/\W+/g, '-')}">${tier}</span>`

/** A name and its value in a list of facts. */
export const row = (term: string, value: Piece): Html => html`<div><dt>${term}</dt><dd>${value}</dd></div>\n`

/** In place of a list that has no entries. */
export const empty = (title: string, hint: Piece): Html => html`<div class="empty"><p class="empty-title">${title}</p><p>${hint}</p></div>`

/** In place of a part of a page whose source does not answer now; the rest of the page is shown. */
export const unavailable = (what: string): Html =>
  empty(`${what} cannot be read now`, 'Its service does not answer. Load the page again in a moment.')

/** A part of a page with its heading. */
export const section = (title: string, body: Piece, options: { id?: string; more?: Piece; live?: string } = {}): Html =>
  html`<section class="part"${options.id ? html` id="${options.id}"` : ''}${options.live ? html` data-live="${options.live}"` : ''}><header class="part-head"><h2>${title}</h2>${options.more}</header>
${body}
</section>`

/** A table that scrolls by itself where the screen is narrow. */
export const table = (
  label: string,
  heads: readonly Piece[],
  rows: readonly Html[],
): Html => html`<div class="table" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${heads.map(head => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table></div>`
