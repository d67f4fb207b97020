import { apis, apiVersion } from './apis.ts'
import { asyncapi } from './asyncapi.ts'
import { openapi } from './openapi/document.ts'

/** The generated documents of docs/, by file name, as text. */
export function documents(): Record<string, string> {
  const all = Object.values(apis)
  return {
    'openapi.json': `${JSON.stringify(openapi(all, apiVersion), null, 1)}\n`,
    'asyncapi.json': `${JSON.stringify(asyncapi(all, apiVersion), null, 1)}\n`,
  }
}
