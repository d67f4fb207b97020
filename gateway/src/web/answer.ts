import { asRefusal, type Platform, parted, Reply, reply } from '@carapace/service'
import type { NetworkSource } from '../networks.ts'
import type { AssetPaths } from './assets.ts'
import { type Html, html, type Piece } from './html.ts'
import { layout, layoutAfter, layoutBefore, type Page, type PageFrame, pageHead } from './layout.ts'

/** How long others may store a page: `shared` a minute, `fresh` a second, as a read of the interface, `private` never. */
export type Caching = 'shared' | 'fresh' | 'private'
const cacheControls: Readonly<Record<Caching, string>> = {
  shared: 'public, max-age=60',
  fresh: 'public, max-age=1',
  private: 'private, no-store',
}

interface Options {
  status?: number
  caching?: Caching
  headers?: Readonly<Record<string, string>>
}

/** Answers with pages. */
export interface Pages {
  /** @example return pages.show({ title: 'Agents', area: 'agents', main }) */
  show(page: Page, options?: Options): Promise<Reply>
  /**
   * A page that a reader begins with while the rest is read. What is refused, the rest shows in its place, for the status is out by then; after a fault
   * the page breaks off, so that nobody stores it, and a reader that has nothing of it yet gets the page that says so.
   * @example return pages.begin({ title: gig.title, top: pageHead(gig.title) }, async () => parts(await read()))
   */
  begin(page: PageFrame & { top: Piece }, rest: () => Promise<Html>): Promise<Reply>
  /** The page that says what there is not. */
  missing(title: string, hint: string): Promise<Reply>
  /** Runs a handler; a refusal becomes a page that says it in words. */
  guarded(work: () => Promise<Reply>): Promise<Reply>
}

export interface PageParts extends Pick<Platform, 'clock' | 'log'> {
  networks: NetworkSource
  publicBaseUrl: string
  paths: AssetPaths
}

/**
 * Nothing is loaded but from here, nothing inline runs, nobody frames it, and text becomes markup by no policy but the one of the site's
 * script. A browser may read the networks themselves, to check what a page says.
 */
export const pagePolicy = (rpcUrls: readonly string[]): string =>
  [
    "default-src 'none'",
    "img-src 'self' data:",
    "style-src 'self'",
    "script-src 'self'",
    `connect-src ${["'self'", ...rpcUrls].join(' ')}`,
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types carapace-page',
  ].join('; ')

export function pageAnswers({ networks, clock, log, publicBaseUrl, paths }: PageParts): Pages {
  const site = () => ({ publicBaseUrl, paths, clockOffsetMs: clock.offsetMs() })
  const headersOf = async (caching: Caching) => {
    // a page is shown also while nobody knows the networks
    const profiles = await networks().catch(() => [])
    return {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': pagePolicy(profiles.map(({ rpcUrl }) => originOf(rpcUrl))),
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': cacheControls[caching],
    }
  }
  const refusalOf = (error: unknown) => {
    const refusal = asRefusal(error)
    if (refusal.code === 'INTERNAL_ERROR') log.error({ err: error }, 'a page failed')
    const [title, hint] = sayings[refusal.code] ?? [refusal.status >= 500 ? 'This cannot be read now' : 'This cannot be shown', refusal.message]
    return { title, main: fault(refusal.status, title, hint), status: refusal.status }
  }
  const failed = (error: unknown): Promise<Reply> => {
    const { title, main, status } = refusalOf(error)
    return pages.show({ title, main }, { status })
  }
  const pages: Pages = {
    show: async (page, { status, caching = 'fresh', headers = {} } = {}) => {
      const own = { ...(await headersOf(status !== undefined && status >= 400 ? 'private' : caching)), ...headers }
      const text = layout(page, site())
      return status === undefined ? new Reply(undefined, Buffer.from(text), own) : reply(status, Buffer.from(text), own)
    },
    begin: async (page, rest) => {
      const headers = await headersOf('fresh')
      const first = `${layoutBefore(page, site())}${html`${page.top}`}`
      const end = async () => `${await rest()}${layoutAfter(page, site())}`
      return parted(first, end, headers, failed)
    },
    missing: (title, hint) => pages.show({ title, main: fault(404, title, hint) }, { status: 404 }),
    guarded: async work => {
      try {
        return await work()
      } catch (error) {
        return failed(error)
      }
    },
  }
  return pages
}

const sayings: Readonly<Record<string, readonly [title: string, hint: string]>> = {
  NOT_FOUND: ['There is no such page', 'Nothing is registered under this name or number.'],
  DEPENDENCY_UNAVAILABLE: ['This cannot be read now', 'The service that owns it does not answer. Load the page again in a moment.'],
  CHAIN_UNAVAILABLE: ['The network does not answer now', 'Its node is away. Load the page again in a moment.'],
  INTERNAL_ERROR: ['Something went wrong here', 'The failure is logged. Load the page again in a moment.'],
}

const fault = (status: number, title: string, hint: string) =>
  html`<div class="fault"><p class="over">${status}</p>${pageHead(title, hint)}<p><a class="button" href="/">To the start page</a> <a class="button quiet" href="/agents">Agents</a></p></div>`

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "'self'")
