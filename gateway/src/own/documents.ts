import { setImmediate } from 'node:timers/promises'
import { apis, apiVersion, asyncapi, openapiSteps } from '@carapace/api'
import type { OpenApi } from '../web/site/reference.ts'

type Document = OpenApi & Record<string, unknown>

let openApi: Promise<Document> | undefined
let asyncApi: ReturnType<typeof asyncapi> | undefined

/** Made at the first request: a start would last a second longer. Others are answered meanwhile. */
export function openApiDocument(): Promise<Document> {
  openApi ??= makeOpenApi().catch(error => {
    openApi = undefined
    throw error
  })
  return openApi
}

async function makeOpenApi(): Promise<Document> {
  const steps = openapiSteps(Object.values(apis), apiVersion)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value as Document
    await setImmediate()
  }
}

export function asyncApiDocument(): ReturnType<typeof asyncapi> {
  asyncApi ??= asyncapi(Object.values(apis), apiVersion)
  return asyncApi
}
