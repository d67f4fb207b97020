import { type Html, html } from '../html.ts'

const radius = 52
const round = 2 * Math.PI * radius

/** A score of 100 as a ring. */
export function scoreRing(score: number, tier: string): Html {
  const arc = ((Math.max(0, Math.min(100, score)) / 100) * round).toFixed(1)
  return html`<svg class="ring" viewBox="0 0 128 128" width="168" height="168" role="img" aria-label="FusedScore ${score.toFixed(1)} of 100, ${tier}">
<circle class="ring-rest" cx="64" cy="64" r="${radius}"/>
<circle class="ring-arc" cx="64" cy="64" r="${radius}" stroke-dasharray="${arc} ${round.toFixed(1)}" transform="rotate(-90 64 64)"/>
<text class="ring-score" x="64" y="70" text-anchor="middle">${score.toFixed(1)}</text>
<text class="ring-label" x="64" y="88" text-anchor="middle">of 100</text>
</svg>`
}

/** A share of a whole as a bar. @param label what it says to those who do not see it @param mark a share to be reached */
export function bar(share: number, label: string, mark?: number, tone = ''): Html {
  const width = (Math.max(0, Math.min(1, share)) * 100).toFixed(1)
  return html`<svg class="bar ${tone}" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="${label}"><rect class="bar-rest" width="100" height="6" rx="1"/><rect class="bar-part" width="${width}" height="6" rx="1"/>${mark !== undefined && html`<rect class="bar-mark" x="${(mark * 100 - 0.4).toFixed(1)}" width="0.8" height="6"/>`}</svg>`
}

const shells: Readonly<Record<string, string>> = {
  Hatchling: 'hatchling',
  'Bronze Pinch': 'bronze-pinch',
  'Silver Molt': 'silver-molt',
  'Gold Shell': 'gold-shell',
}

/** The card of an agent, as small as an entry of a list. */
export const miniCard = (tier: string, cardNumber: number | undefined): Html =>
  html`<svg class="mini-card ${shells[tier] ?? 'hatchling'}" viewBox="0 0 64 40" width="64" height="40" aria-hidden="true"><rect class="ground" x=".5" y=".5" width="63" height="39" rx="5"/><rect class="stripe" width="5" height="40" rx="2.500"/><path class="shell" d="M27 8c7.500 0 12.500 5 12.500 11.500C39.500 26 34.500 30 27 30s-12.500-4-12.500-10.500C14.500 13 19.500 8 27 8Z"/><path class="scutes" d="M27 8v22M17.500 12.500l19 14M36.500 12.500l-19 14"/>${cardNumber !== undefined && html`<text x="58" y="34" text-anchor="end">${cardNumber}</text>`}</svg>`
