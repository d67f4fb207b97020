import { setImmediate } from 'node:timers/promises'
import { apis, apiVersion, asyncapiSteps, openapiSteps } from '@carapace/api'
import type { OpenApi } from '../web/site/reference.ts'

type Json = Record<string, unknown>
type Document = OpenApi & Json

let openApi: Promise<Document> | undefined
let asyncApi: Promise<Json> | undefined

// Each is made at the first request for it, so that a start does not wait for both. Other requests are answered between its steps, since the one is
// some 0.3 s of work, the other 0.15 s.

export function openApiDocument(): Promise<Document> {
  openApi ??= made(openapiSteps(Object.values(apis), apiVersion)) as Promise<Document>
  return openApi
}

export function asyncApiDocument(): Promise<Json> {
  asyncApi ??= made(asyncapiSteps(Object.values(apis), apiVersion))
  return asyncApi
}

async function made(steps: Generator<undefined, Json>): Promise<Json> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await setImmediate()
  }
}
