import { type CommerceReceipt, type commerceApi, refuse } from '@carapace/api'
import { renderPng } from '@carapace/picture'
import { baseUrlOf, content, type Handlers, reply } from '@carapace/service'
import { isBeingPaid } from '../job/job.ts'
import type { Parts } from '../parts.ts'
import { hasReceipt, issueReceipt } from '../receipt/issue-receipt.ts'
import { pictureWidth, receiptSvg } from '../receipt/picture.ts'
import { type Receipt, receiptView } from '../receipt/receipt.ts'
import { type Numbered, needJob } from './reads.ts'

const rawBlock = 'application/vnd.ipld.raw'

export const receiptHandlers = (parts: Parts) => {
  const baseUrl = baseUrlOf(parts.config)
  const view = (receipt: Receipt): CommerceReceipt => receiptView(receipt, baseUrl)

  /** @throws NOT_FOUND until the payment is confirmed, and while it is reversed */
  const needReceipt = async (jobId: string, numbered: Numbered): Promise<Receipt> => {
    const job = await needJob(parts, jobId, numbered)
    const receipt = await parts.receipts.get(job.id)
    return receipt && !receipt.isWithdrawn && job.on.settle?.onChain.status === 'confirmed' ? receipt : refuse('NOT_FOUND', { resource: 'receipt' })
  }

  return {
    getCommerceReceipt: async ({ params, query, accept }) => {
      const receipt = await needReceipt(params.id, query)
      const varies = { vary: 'accept' }
      return accept.includes(rawBlock) ? content(rawBlock, receipt.content, varies) : reply(200, view(receipt), varies)
    },

    getCommerceReceiptPicture: async ({ params, query }) => {
      const png = await renderPng(receiptSvg(view(await needReceipt(params.id, query))), { width: pictureWidth })
      return content('image/png', png, { 'cache-control': 'public, max-age=300' })
    },

    issueCommerceReceipt: async ({ params, query }) => {
      const job = await needJob(parts, params.id, query)
      if (!hasReceipt(job)) refuse('INVALID_STATE', { state: job.status, allowed: ['settled'] }, isBeingPaid(job) ? { retryable: true } : {})
      const { receipt, isNew } = await issueReceipt(parts, job)
      return isNew ? view(receipt) : reply(200, view(receipt))
    },
  } satisfies Handlers<typeof commerceApi>
}
