import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'

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

export const getReferencePage = endpoint({
  method: 'get',
  path: '/docs',
  summary: 'The reference page',
  caller: 'public',
  produces: 'text/html',
})

export const getReceiptPage = endpoint({
  method: 'get',
  path: '/trust-receipt/:id',
  summary: 'A trust receipt as a page to share, by receipt id or gig id',
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
