import type { AssetPaths } from './assets.ts'
import { type Html, html, type Piece } from './html.ts'
import { shareHead } from './share-head.ts'

/** The parts of the site that the navigation names. */
export type Area = 'agents' | 'gigs' | 'jobs' | 'domains' | 'network' | 'start' | 'docs' | 'operator'

/** A page, without what all pages share. */
export interface Page extends PageFrame {
  main: Piece
}

/** What is known of a page before its content. */
export interface PageFrame {
  title: string
  /** One sentence for search engines and link previews. */
  description?: string
  /** Where it is at home: given for pages that people share. */
  path?: string
  /** Path of its picture for link previews. */
  picture?: string
  area?: Area
  /** Further scripts, by the names of their files. */
  scripts?: readonly string[]
}

/** What all pages of this gateway have in common. */
export interface Site {
  publicBaseUrl: string
  paths: AssetPaths
  /** Platform clock minus wall clock. */
  clockOffsetMs: number
}

const areas: readonly (readonly [Area, href: string, name: string])[] = [
  ['agents', '/agents', 'Agents'],
  ['gigs', '/gigs', 'Gigs'],
  ['jobs', '/jobs', 'Jobs'],
  ['domains', '/domains', 'Names'],
  ['network', '/network', 'Network'],
  ['docs', '/docs', 'Docs'],
]
/** Of the pages of operators alone: nobody else has anything to do there. */
const operatorArea: (typeof areas)[number] = ['operator', '/operator', 'Operator']

/** A whole document in the house style. */
export const layout = (page: Page, site: Site): string => `${layoutBefore(page, site)}${html`${page.main}`}${layoutAfter(page, site)}`

/** The document up to its content. */
export function layoutBefore(page: PageFrame, site: Site): string {
  const { paths, publicBaseUrl } = site
  const named = page.area === 'operator' ? [...areas, operatorArea] : areas
  const title = page.title === 'Carapace' ? page.title : `${page.title} · Carapace`
  return html`<!doctype html>
<html lang="en" data-clock-offset="${site.clockOffsetMs}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="preload" href="${paths.font}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${paths.style}">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="manifest" href="/manifest.webmanifest">
<meta name="theme-color" content="#fbfaf7" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0f1319" media="(prefers-color-scheme: dark)">
${shareHead({ title, summary: page.description, address: page.path && publicBaseUrl + page.path, picture: page.picture && publicBaseUrl + page.picture })}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<p class="testnet">Test networks: nothing here is real money.</p>
<header class="top"><div class="top-in">
<a class="brand" href="/"><svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><path d="M16 5c6.600 0 11 4.800 11 11 0 6.300-4.600 10-11 10S5 22.300 5 16C5 9.800 9.400 5 16 5ZM16 5v21M7 11l18 10M25 11 7 21"/></svg><span>Carapace</span></a>
<nav class="nav" aria-label="Site">${named.map(([area, href, name]) => navLink(name, href, area === page.area))}</nav>
<a class="button small" href="/start"${page.area === 'start' && html` aria-current="page"`}>Start</a>
</div></header>
<main id="main" tabindex="-1">
`.toString()
}

/** The document from the end of its content on. The script is last: it needs the whole page, and would be loaded before the first paint. */
export const layoutAfter = ({ scripts = [] }: PageFrame, { paths }: Site): string =>
  html`
</main>
<footer class="foot"><div class="foot-in">
<p>Carapace, the trust and payment layer for software agents.</p>
<nav aria-label="More"><a href="/docs">Guide and reference</a><a href="/openapi.json">OpenAPI</a><a href="/asyncapi.json">AsyncAPI</a><a href="/llms.txt">llms.txt</a><a href="/readyz">Status</a></nav>
</div></footer>
${paths.modules.map(path => html`<link rel="modulepreload" href="${path}">`)}
<script type="module" src="${paths.script}"></script>${scripts.map(name => html`<script type="module" src="${paths.folder}/${name}"></script>`)}
</body>
</html>
`.toString()

const navLink = (name: string, href: string, isCurrent: boolean): Html =>
  html`<a href="${href}"${isCurrent && html` aria-current="page"`}>${name}</a>`

/** The first page of an area, under its own name. */
export const areaPage = ({ title, area, description, lead }: { title: string; area: Area; description: string; lead: Piece }, rest: Html): Page => ({
  title,
  area,
  path: `/${area}`,
  description,
  main: html`${pageHead(title, lead)}
${rest}`,
})

/** The head of a page: what it is about, and what it says of it in one line. */
export const pageHead = (title: string, lead?: Piece, over?: Piece): Html =>
  html`<header class="page-head">${over && html`<p class="over">${over}</p>`}<h1>${title}</h1>${lead && html`<p class="lead">${lead}</p>`}</header>`
