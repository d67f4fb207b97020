import type { Refusal } from '@carapace/api'
import { sendFailure } from '@carapace/service'
import type { Request, Response } from 'express'
import { sendSmaller } from '../proxy/compress.ts'
import { RateRefusal, rateHeaders } from '../rate/limits.ts'
import type { RawHeaders } from '../request/headers.ts'
import { PaymentRefusal } from '../x402/challenge.ts'

interface Refused {
  requestId: string
  headers: RawHeaders
}

/** Answers a refusal with the headers of the request so far; an answer that has begun ends here. */
export function sendRefusal(request: Request, response: Response, refusal: Refusal, { headers, requestId }: Refused): void {
  if (!response.headersSent) {
    if (refusal instanceof PaymentRefusal) response.setHeader('payment-required', refusal.header)
    const rate = refusal instanceof RateRefusal ? rateHeaders([refusal.standing]) : []
    for (const list of [headers, rate]) for (let i = 0; i < list.length; i += 2) response.setHeader(list[i]!, list[i + 1]!)
    const allow = refusal.code === 'METHOD_NOT_ALLOWED' ? (refusal.extras.details?.allow as string[]) : undefined
    if (allow) response.setHeader('allow', allow.join(', '))
  }
  if (refusal instanceof PaymentRefusal && !response.headersSent)
    sendSmaller(request, response, 402, refusal.body, { 'cache-control': 'private, no-store', 'x-request-id': requestId })
  else sendFailure(request, response, refusal, requestId)
}
