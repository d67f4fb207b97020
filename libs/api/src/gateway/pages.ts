import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, txHash } from '../core/fields.ts'

const document = z.record(z.string(), z.unknown())

export const getOpenApi = endpoint({
  method: 'get',
  path: '/openapi.json',
  summary: 'This interface as OpenAPI 3.1',
  caller: 'public',
  response: document,
})

export const getAsyncApi = endpoint({
  method: 'get',
  path: '/asyncapi.json',
  summary: 'The events as AsyncAPI 3.0',
  caller: 'public',
  response: document,
})

export const getReceiptPage = endpoint({
  method: 'get',
  path: '/trust-receipt/:id',
  aliases: ['/receipts/:id'],
  summary: 'A trust receipt as a page to share, by receipt id or gig id',
  caller: 'public',
  produces: 'text/html',
})

export const getCommerceReceiptPage = endpoint({
  method: 'get',
  path: '/commerce-receipt/:jobId',
  summary: 'The receipt of a commerce job as a page to share',
  caller: 'public',
  produces: 'text/html',
})

export const getReceiptPicture = endpoint({
  method: 'get',
  path: '/trust-receipt/:id.png',
  summary: 'A trust receipt as a picture, 1200 by 630',
  caller: 'public',
  produces: 'image/png',
})

export const getTransactionPage = endpoint({
  method: 'get',
  path: '/tx/:chain/:hash',
  summary: 'What a transaction did, as a page: where links lead while the networks are devnets',
  caller: 'public',
  params: { chain, hash: txHash },
  produces: 'text/html',
  errors: ['CHAIN_UNAVAILABLE'],
})
