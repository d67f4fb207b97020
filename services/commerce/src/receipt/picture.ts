import type { CommerceReceipt } from '@carapace/api'
import { drawable, shortened } from '@carapace/picture'

/** What link previews expect. */
export const pictureWidth = 1200
const pictureHeight = 630

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string => drawable(text).replace(/[&<>"']/g, character => entities[character]!)

/** The receipt of a job as an SVG. */
export function receiptSvg(receipt: CommerceReceipt): string {
  const text = (x: number, y: number, size: number, colour: string, value: string, weight = 400) =>
    `<text x="${x}" y="${y}" font-family="Inter" font-size="${size}" font-weight="${weight}" fill="${colour}">${escaped(value)}</text>`
  const amount = `${receipt.netPaid.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6, useGrouping: false })} USDC`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${pictureWidth}" height="${pictureHeight}" viewBox="0 0 ${pictureWidth} ${pictureHeight}">
<rect width="100%" height="100%" fill="#10151c"/>
<rect x="0" y="0" width="14" height="100%" fill="#4aa3df"/>
${text(80, 100, 30, '#4aa3df', 'Carapace commerce receipt · ERC-8183', 700)}
${text(80, 180, 52, '#ffffff', shortened(String(receipt.title), 38), 700)}
${text(80, 320, Math.min(104, Math.floor(1_650 / amount.length)), '#ffffff', amount, 700)}
${text(80, 390, 34, '#9fb1c5', shortened(`to ${receipt.assignee.handle ?? receipt.assignee.wallet}`, 56))}
${text(80, 436, 34, '#9fb1c5', shortened(`from ${receipt.poster.handle ?? receipt.poster.wallet}`, 56))}
${text(80, 530, 30, '#7bd88f', `job ${receipt.onChainJobId} on ${receipt.chain} · ${receipt.settledAt.slice(0, 10)}`)}
${text(80, 578, 24, '#5f7186', receipt.jobId)}
</svg>`
}
