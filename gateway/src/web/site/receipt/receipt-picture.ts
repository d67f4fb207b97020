import type { TrustReceipt } from '@carapace/api'
import { drawable, shortened } from '@carapace/picture'
import { money } from '../../format.ts'
import { escapeText } from '../../html.ts'
import { pictureHeight, pictureWidth } from '../../picture-size.ts'
import { consensus, name } from './receipt-view.ts'

/** The receipt as an SVG. */
export function receiptSvg(receipt: TrustReceipt): string {
  const text = (x: number, y: number, size: number, colour: string, value: string, weight = 400) =>
    `<text x="${x}" y="${y}" font-family="Inter" font-size="${size}" font-weight="${weight}" fill="${colour}">${escapeText(drawable(value))}</text>`
  // large amounts have many digits: they stay within the picture
  const amount = money(receipt.netPaid)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${pictureWidth}" height="${pictureHeight}" viewBox="0 0 ${pictureWidth} ${pictureHeight}">
<rect width="100%" height="100%" fill="#10151c"/>
<rect x="0" y="0" width="14" height="100%" fill="#e4572e"/>
${text(80, 100, 30, '#e4572e', 'Carapace trust receipt', 700)}
${text(80, 180, 52, '#ffffff', shortened(receipt.gigTitle, 38), 700)}
${text(80, 320, Math.min(104, Math.floor(1_650 / amount.length)), '#ffffff', amount, 700)}
${text(80, 390, 34, '#9fb1c5', shortened(`to ${name(receipt.assignee)}`, 56))}
${text(80, 436, 34, '#9fb1c5', shortened(`from ${name(receipt.poster)}`, 56))}
${text(80, 530, 30, '#7bd88f', `${consensus(receipt)} · ${receipt.settledAt.slice(0, 10)}`)}
${text(80, 578, 24, '#5f7186', receipt.id)}
</svg>`
}
