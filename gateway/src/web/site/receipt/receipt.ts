import { escrowApi, refuse, type TrustReceipt } from '@carapace/api'
import { renderPng } from '@carapace/picture'
import { content } from '@carapace/service'
import { pictureWidth } from '../../picture-size.ts'
import type { SiteParts } from '../../site-parts.ts'
import { receiptSvg } from './receipt-picture.ts'
import { receiptView } from './receipt-view.ts'

/** The receipt as a page to share and print; `id` is a receipt's or a gig's. */
export async function receiptPage(parts: SiteParts, id: string) {
  const receipt = await findReceipt(parts, id)
  if (!receipt) return parts.pages.missing('There is no such receipt', 'A receipt exists once a gig is settled and its payment is confirmed.')
  const networks = await parts.networks().catch(() => [])
  const network = networks.find(({ chain }) => chain === receipt.chain)
  return parts.pages.show(receiptView(receipt, network, parts.clock.now()), { caching: 'shared' })
}

/** The same as a picture for link previews. @throws NOT_FOUND */
export async function receiptPicture(parts: SiteParts, id: string) {
  const receipt = (await findReceipt(parts, id)) ?? refuse('NOT_FOUND', { resource: 'receipt' })
  const png = await renderPng(receiptSvg(receipt), { width: pictureWidth })
  return content('image/png', png, { 'cache-control': 'public, max-age=300' })
}

async function findReceipt({ peers }: SiteParts, id: string): Promise<TrustReceipt | undefined> {
  const { getReceipt, getGigReceipt } = escrowApi.endpoints
  return (await peers.find('escrow', getReceipt, { params: { id } })) ?? (await peers.find('escrow', getGigReceipt, { params: { gigId: id } }))
}
