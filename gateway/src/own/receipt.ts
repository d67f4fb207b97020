import { escrowApi, refuse, type TrustReceipt } from '@carapace/api'
import { renderPng } from '@carapace/picture'
import { content, type Platform, reply } from '@carapace/service'
import { html, page, pageHeaders } from './page.ts'
import { pictureWidth } from './picture-size.ts'
import { receiptSvg } from './receipt-picture.ts'
import { receiptView } from './receipt-view.ts'

/** The receipt as a page to share and print; `id` is a receipt's or a gig's. */
export async function receiptPage(parts: Platform, id: string, publicBaseUrl: string) {
  const receipt = await findReceipt(parts, id)
  if (!receipt) return reply(404, Buffer.from(missing), { 'content-type': 'text/html; charset=utf-8', ...pageHeaders, 'cache-control': 'no-store' })
  return content('text/html; charset=utf-8', receiptView(receipt, publicBaseUrl), pageHeaders)
}

/** The same as a picture for link previews. @throws NOT_FOUND */
export async function receiptPicture(parts: Platform, id: string) {
  const receipt = (await findReceipt(parts, id)) ?? refuse('NOT_FOUND', { resource: 'receipt' })
  const png = await renderPng(receiptSvg(receipt), { width: pictureWidth })
  return content('image/png', png, { 'cache-control': 'public, max-age=300' })
}

async function findReceipt({ peers }: Platform, id: string): Promise<TrustReceipt | undefined> {
  const { getReceipt, getGigReceipt } = escrowApi.endpoints
  return (await peers.find('escrow', getReceipt, { params: { id } })) ?? (await peers.find('escrow', getGigReceipt, { params: { gigId: id } }))
}

const missing = page({
  title: 'No such receipt · Carapace',
  main: html`<h1>There is no such receipt</h1><p>A receipt exists once a gig is settled and its payment is confirmed.</p>`,
})
