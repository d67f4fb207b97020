import { encode } from 'uqr'
import { type Html, html } from '../html.ts'

/** A reader accepts each of the eight alike; choosing among them costs eight codes. */
const maskPattern = 0

/** A text as a QR code. */
export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { border: 0, ecc: 'M', maskPattern })
  const dark = data.flatMap((line, y) => line.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path fill="#000000" d="${dark.join('')}"/></svg>`
}
