import assert from 'node:assert/strict'
import { marketplaceApi } from '@carapace/api'
import { startGateway } from '@carapace/gateway'
import { until } from '@carapace/testing'
import { Wallet } from 'ethers'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { platformAroundTests } from '../testing/around-tests.ts'
import { holdWallet, openBrowser } from './chromium.ts'
import { play, playReceipt, playUntilPanel } from './play.ts'

const { applicationCreated } = marketplaceApi.events

describe('/operator, where calls are signed', function () {
  this.timeout(600_000)
  const admin = Wallet.createRandom()
  let gateway: Awaited<ReturnType<typeof startGateway>>
  let isBroken = true
  const platform = platformAroundTests({
    env: { AUTH_MODE: 'signed', ADMIN_WALLETS: admin.address },
    startGateway: async options => {
      gateway = await startGateway(options)
      return gateway
    },
    // one consumer fails until it is repaired
    wrapBus: bus => ({
      ...bus,
      subscribe: (queue, handler) =>
        bus.subscribe(queue, async (event, ...rest) => {
          if (isBroken && queue.name === 'carapace.identity' && event.type === applicationCreated.type) throw new Error('The consumer is broken')
          return handler(event, ...rest)
        }),
    }),
  })
  let browser: Browser
  let context: BrowserContext
  before(async () => {
    browser = await openBrowser()
    context = await browser.newContext()
    await holdWallet(context, admin)
  })
  after(() => browser.close())

  /** At /start, up to a rejection by the panel. */
  let playing: Promise<Page> | undefined
  const rejectedGig = (): Promise<Page> => {
    playing ??= (async () => {
      const start = await browser.newPage()
      await start.goto(`${platform.url}/start`)
      await playUntilPanel(start, 'BASE_SEPOLIA')
      await start.selectOption('form[data-step=vote] select', 'reject')
      await play(start, 'vote')
      return start
    })()
    return playing
  }
  /** The page of operators, as soon as it shows this. */
  const signedInUntil = async (shown: string): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(`${platform.url}/operator`)
    if (page.url().endsWith('/sign-in')) {
      await page.click('text=Use Test Wallet')
      await page.click('text=Sign with Test Wallet')
      await page.waitForURL('**/operator')
    }
    await until(`${shown} is on the page`, async () => {
      await page.goto(`${platform.url}/operator`)
      return (await page.locator(shown).count()) > 0
    })
    return page
  }

  it('decides a dispute with the evidence of both sides, by a signature of the wallet, of a gig that was played by signed calls', async () => {
    const start = await rejectedGig()
    const page = await signedInUntil('article.dispute')
    const sides = await page.locator('article.dispute .sides section').allInnerTexts()
    assert.match(sides[0]!, /Poster poster-[\s\S]*Read it, report what is wrong/)
    assert.match(sides[1]!, /Assignee worker-[\s\S]*https:\/\/example\.org\/report/)
    assert.match(await page.locator('article.dispute .votes').innerText(), /Reject/)

    await page.fill('article.dispute input[name=reason]', 'The report is what was agreed')
    await page.selectOption('article.dispute select', 'true')
    await page.click('article.dispute button')

    await page.locator('h1', { hasText: 'Decide the dispute' }).waitFor()
    assert.equal(await page.locator('.over .chip').innerText(), 'Done')
    await page.click('text=Back')
    assert.match(await page.locator('#log').innerText(), /admin-resolve[\s\S]*The report is what was agreed/)
    await page.close()
    await playReceipt(start)
  })

  it('puts a dead letter back into its queue, whose consumer works again', async () => {
    await rejectedGig()
    const page = await signedInUntil('#dead-letters form')
    assert.match(await page.locator('#dead-letters').innerText(), /marketplace\.application\.created[\s\S]*The consumer is broken/)
    isBroken = false

    await page.click('#dead-letters button')

    await page.locator('h1', { hasText: 'Replay' }).waitFor()
    await page.close()
    await (await signedInUntil('#dead-letters .empty')).close()
  })

  it('does nothing for a browser without the wallet of the operator', async () => {
    const stranger = await browser.newContext()
    await holdWallet(stranger, Wallet.createRandom())
    const page = await stranger.newPage()
    await page.goto((await gateway.operatorLink())!)
    await page.waitForURL('**/operator')

    await page.fill('form[action$="/suspend"] input[name=id]', 'carapace')
    await page.fill('form[action$="/suspend"] input[name=reason]', 'to see')
    await page.click('form[action$="/suspend"] button')

    await page.locator('#said.fault-text', { hasText: `${admin.address} has to sign` }).waitFor()
    await page.goto(`${platform.url}/operator/sign-in`)
    await page.click('text=Use Test Wallet')
    await page.locator('h1', { hasText: 'This is refused' }).waitFor()
    await stranger.close()
  })

  it('is entered by the link of the start once, used by keyboard alone, and left by signing out', async () => {
    const link = (await gateway.operatorLink())!
    const local = await browser.newContext()
    const page = await local.newPage()
    await page.goto(link)
    await page.waitForURL('**/operator')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement?.id'), 'main')
    await until('the focus is on the button', async () => {
      await page.keyboard.press('Tab')
      return (await page.evaluate('document.activeElement?.textContent')) === 'Sign out'
    })
    await page.keyboard.press('Enter')
    await page.waitForURL('**/operator/sign-in')

    await page.goto(`${platform.url}/operator`)
    assert.match(page.url(), /\/operator\/sign-in$/)
    await page.goto(link)
    assert.match(await page.locator('main').innerText(), /This link has been used or is over/)
    await local.close()
  })
})
