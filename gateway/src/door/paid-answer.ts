import { asRefusal } from '@carapace/service'
import type { Request, Response } from 'express'
import { sendSmaller } from '../proxy/compress.ts'
import type { RawHeaders } from '../request/headers.ts'
import { ClientDisconnected } from '../request/request.ts'
import type { StoredAnswer } from '../x402/answer-copy.ts'
import type { Sale } from '../x402/step.ts'
import { unanswered } from './record.ts'

/** Records whether the request that was paid for was answered. */
export async function closing(sale: Sale, forwarded: Promise<void>, response: Response): Promise<void> {
  let status = unanswered
  try {
    await forwarded
    if (!response.destroyed || response.writableFinished) status = response.statusCode
  } catch (error) {
    if (!(error instanceof ClientDisconnected)) status = asRefusal(error).status
    throw error
  } finally {
    await sale.close(status)
  }
}

/** The answer that a payment has already bought. */
export function sendStored(request: Request, response: Response, { status, text: body }: StoredAnswer, headers: RawHeaders): void {
  for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i]!, headers[i + 1]!)
  sendSmaller(request, response, status, JSON.parse(body), { 'cache-control': 'private, no-store', 'idempotency-replayed': 'true' })
}
