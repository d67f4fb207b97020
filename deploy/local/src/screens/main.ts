import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { startGateway } from '@carapace/gateway'
import { startChainPlatform } from '@carapace/testing'
import { services } from '../services.ts'
import { openBrowser, stateAfter } from '../site/chromium.ts'
import { pathsOf, populate } from '../site/pages.ts'
import { newValidators } from '../testing/scenarios.ts'
import { playMarket } from './market.ts'

// npm run screens: each page, light and dark, on a desktop and on a phone, into docs/screens
const folder = path.join(process.cwd(), 'docs/screens')
/** A picture of a page ends here at the latest. */
const tallest = 2_000
const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const

let gateway: Awaited<ReturnType<typeof startGateway>> | undefined
const platform = await startChainPlatform({
  services,
  startGateway: async options => {
    gateway = await startGateway(options)
    return gateway
  },
  env: { RATE_LIMIT_READ: '100000', RATE_LIMIT_WRITE: '100000' },
})
try {
  await newValidators(platform)
  const handle = await playMarket(platform)
  const shown = await populate(platform)
  const paths = pathsOf({ ...shown, handle })
  const browser = await openBrowser()
  // the pages of operators are among them
  const storageState = await stateAfter(browser, (await gateway!.operatorLink())!)
  await mkdir(folder, { recursive: true })
  for (const [size, viewport] of Object.entries(sizes))
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ storageState, viewport, colorScheme, reducedMotion: 'reduce' })
      const page = await context.newPage()
      for (const [name, address] of Object.entries(paths)) {
        await page.goto(platform.url + address, { waitUntil: 'load' })
        const file = path.join(folder, `${name}-${size}-${colorScheme}.png`)
        const height = Math.min(tallest, await page.evaluate<number>('document.documentElement.scrollHeight'))
        await page.screenshot({ path: file, fullPage: true, clip: { x: 0, y: 0, width: viewport.width, height } })
        console.log(path.relative(process.cwd(), file))
      }
      await context.close()
    }
  await browser.close()
} finally {
  await platform.end()
}
