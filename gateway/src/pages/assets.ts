import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pageHeaders } from '../own/page.ts'
import { referenceScript } from '../own/reference.ts'
import { type HomeFacts, homePage } from './home.ts'
import { styleSheet } from './style.ts'

/** A file that is served from memory. */
export interface Asset {
  bytes: Buffer
  headers: Record<string, string>
}

const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', html: 'text/html; charset=utf-8' }

/** Path → file: the home page, the style, and the reference page's own copy of swagger-ui. */
export async function loadAssets(facts: HomeFacts): Promise<ReadonlyMap<string, Asset>> {
  const folder = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const vendored = (name: string) => readFile(path.join(folder, name))
  return new Map([
    ['/', asset('html', Buffer.from(homePage(facts)), pageHeaders)],
    ['/assets/carapace.css', asset('css', Buffer.from(styleSheet))],
    ['/assets/reference.js', asset('js', Buffer.from(referenceScript))],
    ['/assets/swagger-ui.css', asset('css', await vendored('swagger-ui.css'))],
    ['/assets/swagger-ui-bundle.js', asset('js', await vendored('swagger-ui-bundle.js'))],
  ])
}

function asset(type: keyof typeof types, bytes: Buffer, headers: Record<string, string> = { 'cache-control': 'public, max-age=3600' }): Asset {
  const etag = `W/"${createHash('sha1').update(bytes).digest('base64url')}"`
  return { bytes, headers: { 'content-type': types[type], etag, ...headers } }
}
