import { money } from '../format.ts'
import { type Html, html } from '../html.ts'

/** Where a part of a budget is. */
export interface Portion {
  usdc: number
  place: 'held' | 'paid' | 'fee' | 'back'
  /** Of whom, or for what. */
  text: string
}

/** A budget and where its parts are, as a bar and in words; without parts nothing of it has been paid in. */
export function meter(budget: number, portions: readonly Portion[]): Html {
  const shown = portions.filter(({ usdc }) => usdc > 0)
  const sum = shown.reduce((whole, { usdc }) => whole + usdc, 0)
  const whole = Math.max(budget, sum)
  const widthOf = ({ usdc }: Portion) => (whole === 0 ? 0 : (usdc / whole) * 100)
  const startOf = (i: number) => shown.slice(0, i).reduce((start, portion) => start + widthOf(portion), 0)
  const label =
    shown.length === 0 ? `Nothing of ${money(budget)} is in the contract` : shown.map(({ usdc, text }) => `${money(usdc)} ${text}`).join(', ')
  return html`<svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="${label}"><rect class="bar-rest" width="100" height="6"/>${shown.map((portion, i) => html`<rect class="${portion.place}" x="${startOf(i).toFixed(2)}" width="${widthOf(portion).toFixed(2)}" height="6"/>`)}</svg>
${shown.length > 0 && html`<ul class="legend">${shown.map(({ usdc, place, text }) => html`<li class="${place}"><span><strong class="amount">${money(usdc)}</strong> ${text}</span></li>`)}</ul>`}`
}
