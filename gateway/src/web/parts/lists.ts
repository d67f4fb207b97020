import { count } from '../format.ts'
import { type Html, html } from '../html.ts'

/** Entries on a page of a list. */
export const pageLength = 20

type Filters = Readonly<Record<string, string | undefined>>

/** The address of a list with these filters; what is absent is left out. */
export function addressOf(path: string, filters: Filters, offset = 0): string {
  const entries = Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '')
  const query = new URLSearchParams([...entries, ...(offset > 0 ? [['offset', String(offset)] as [string, string]] : [])]).toString()
  return query === '' ? path : `${path}?${query}`
}

/** Where the list goes on, both ways. */
export function pager(path: string, filters: Filters, page: { offset: number; hasMore: boolean; total?: number | undefined; shown: number }): Html {
  const { offset, hasMore, total, shown } = page
  const link = (text: string, to: number, rel: string) =>
    html`<a class="button quiet" rel="${rel}" href="${addressOf(path, filters, to)}">${text}</a>`
  const range = shown === 0 ? '' : `${count(offset + 1)} to ${count(offset + shown)}${total === undefined ? '' : ` of ${count(total)}`}`
  return html`<nav class="pager" aria-label="Pages of this list"><span class="muted">${range}</span><span class="pager-links">${offset > 0 && link('Previous', Math.max(0, offset - pageLength), 'prev')}${hasMore && link('Next', offset + pageLength, 'next')}</span></nav>`
}

/** A field of a filter that offers values. */
export const choice = (
  name: string,
  label: string,
  value: string | undefined,
  options: readonly (readonly [value: string, text: string])[],
  any = 'Any',
): Html =>
  html`<label class="field"><span>${label}</span><select name="${name}"><option value="">${any}</option>${options.map(([one, text]) => html`<option value="${one}"${one === value && html` selected`}>${text}</option>`)}</select></label>`

/** A field of a filter that is typed in. */
export const input = (name: string, label: string, value: string | undefined, hint = '', type: 'text' | 'number' | 'search' = 'text'): Html =>
  html`<label class="field"><span>${label}</span><input name="${name}" type="${type}" value="${value ?? ''}" placeholder="${hint}"${type === 'number' && html` min="0" step="any"`}></label>`

/**
 * The filters of a list, as a form that works without a script. @param more fields that a phone shows on demand, with the number of those that are set
 */
export const filterForm = (path: string, fields: readonly Html[], more?: { fields: readonly Html[]; set: Filters }): Html =>
  html`<form class="filters" action="${path}" method="get" aria-label="Filters"><div class="filters-first">${fields}<div class="filter-actions"><button class="button" type="submit">Show</button><a class="button quiet" href="${path}">Reset</a></div></div>${more && moreFilters(more)}</form>`

function moreFilters({ fields, set }: { fields: readonly Html[]; set: Filters }): Html {
  const used = Object.values(set).filter(value => value !== undefined && value !== '').length
  return html`<details class="filters-more"${used > 0 && html` open`}><summary>Filters${used > 0 && html` <span class="chip accent">${used} set</span>`}</summary><div class="filters-fields">${fields}</div></details>`
}
