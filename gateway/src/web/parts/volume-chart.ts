import { exact, money, rounded } from '../format.ts'
import { type Html, html } from '../html.ts'

/** A payment in a chart. */
interface Payment {
  amount: number
  at: string
}
const wide = 640
const high = 120
const floor = 98
const top = 16
const widestBar = 80

/** Payments as bars, oldest first, the last so many; `of` says of what. Below two there is nothing to compare. */
export function volumeChart(newestFirst: readonly Payment[], of: string): Html | undefined {
  if (newestFirst.length < 2) return undefined
  const payments = newestFirst.toReversed()
  const largest = Math.max(...payments.map(({ amount }) => amount))
  const sum = payments.reduce((whole, { amount }) => whole + amount, 0)
  const place = Math.min(widestBar, wide / payments.length)
  const bars = payments.map(({ amount, at }, i) => {
    const height = largest === 0 ? 0 : Math.max(2, (amount / largest) * (floor - top))
    return html`<rect class="volume" x="${(i * place + place * 0.12).toFixed(1)}" y="${(floor - height).toFixed(1)}" width="${(place * 0.76).toFixed(1)}" height="${height.toFixed(1)}" rx="2"><title>${money(amount)}, ${exact(at)}</title></rect>`
  })
  const right = (payments.length * place).toFixed(1)
  return html`<svg class="chart" viewBox="0 0 ${wide} ${high}" role="img" aria-label="The last ${payments.length} ${of}: ${money(sum)} in all, the largest ${money(largest)}">
<line class="grid" x1="0" x2="${wide}" y1="${floor}" y2="${floor}"/>
${bars}
<text class="tick" x="0" y="10">${rounded(largest)} USDC at most</text>
<text class="tick" x="0" y="${high - 6}">${payments[0]!.at.slice(0, 10)}</text>
<text class="tick" x="${right}" y="${high - 6}" text-anchor="end">${payments.length > 5 && payments.at(-1)!.at.slice(0, 10)}</text>
</svg>`
}
