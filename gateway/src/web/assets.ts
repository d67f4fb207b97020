import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { favicon, manifest, robots } from './discovery.ts'
import { llmsText } from './llms.ts'

/** A file that is served from memory. */
export interface Asset {
  bytes: Buffer
  headers: Record<string, string>
}

/** Where pages load their files from; the address changes with their content. */
export interface AssetPaths {
  style: string
  script: string
  /** Loaded early: all files of the script. */
  modules: readonly string[]
  font: string
  folder: string
}

export interface Assets {
  files: ReadonlyMap<string, Asset>
  paths: AssetPaths
}

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  woff2: 'font/woff2',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
} as const

const styles = new URL('../../assets/styles/', import.meta.url)
/** The files of the style, in the order in which later rules win. */
const styleNames = [
  ...['base', 'frame', 'pieces', 'layout', 'figures', 'lists', 'pictures', 'records', 'receipts', 'forms'],
  ...['start', 'operators', 'text', 'docs', 'home', 'live', 'print'],
]
const scripts = new URL('../../browser/dist/', import.meta.url)
const { resolve } = createRequire(import.meta.url)
/** What the script of /start signs with, by the address that its modules import. */
const vendored: Readonly<Record<string, URL>> = {
  'vendor/secp256k1.js': pathToFileURL(resolve('@noble/secp256k1')),
  ...Object.fromEntries(
    ['sha3.js', 'utils.js', '_u64.js'].map(name => [`vendor/${name}`, new URL(name, pathToFileURL(resolve('@noble/hashes/sha3.js')))]),
  ),
}
/** What the script of every page imports. */
const everyPage = ['amounts.js', 'copies.js', 'distance.js', 'live.js', 'times.js', 'trusted.js', 'verify.js']
const forEver = 'public, max-age=31536000, immutable'

/** Style, script and font of the site, read once. Their folder is named for their content: a page and its files always belong together. */
export async function loadAssets(publicBaseUrl: string): Promise<Assets> {
  const font = resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')
  const own = (await readdir(scripts, { recursive: true })).filter(name => name.endsWith('.js')).sort()
  const names = [...own, ...Object.keys(vendored)]
  const sources = await Promise.all([...own.map(name => readFile(new URL(name, scripts))), ...Object.values(vendored).map(file => readFile(file))])
  const style = Buffer.concat(await Promise.all(styleNames.map(name => readFile(new URL(`${name}.css`, styles)))))
  const folder = `/assets/${createHash('sha256')
    .update(Buffer.concat([style, ...sources]))
    .digest('base64url')
    .slice(0, 10)}`
  const at = (name: string) => `${folder}/${name}`
  const files = new Map([
    [at('site.css'), asset('css', style)],
    [at('inter.woff2'), asset('woff2', await readFile(font))],
    ...names.map((name, i) => [at(name), asset('js', sources[i]!)] as const),
    // the second is where a browser without a page searches
    ...['/favicon.svg', '/favicon.ico'].map(path => [path, asset('svg', Buffer.from(favicon), 'public, max-age=86400')] as const),
    ['/robots.txt', asset('txt', Buffer.from(robots(publicBaseUrl)), 'public, max-age=3600')],
    ['/llms.txt', asset('txt', Buffer.from(llmsText(publicBaseUrl)), 'public, max-age=3600')],
    ['/manifest.webmanifest', asset('webmanifest', Buffer.from(manifest), 'public, max-age=3600')],
  ])
  const modules = everyPage.map(at)
  return { files, paths: { style: at('site.css'), script: at('main.js'), modules, font: at('inter.woff2'), folder } }
}

function asset(type: keyof typeof types, bytes: Buffer, cacheControl = forEver): Asset {
  const etag = `W/"${createHash('sha1').update(bytes).digest('base64url')}"`
  return { bytes, headers: { 'content-type': types[type], 'cache-control': cacheControl, etag } }
}
