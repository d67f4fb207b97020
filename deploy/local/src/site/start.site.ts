import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { platformAroundTests } from '../testing/around-tests.ts'
import { openBrowser } from './chromium.ts'
import { play, playReceipt, playUntilPanel } from './play.ts'

const networks = ['BASE_SEPOLIA', 'SKALE_TESTNET']

describe('/start', function () {
  this.timeout(600_000)
  const platform = platformAroundTests({ validators: true })
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  for (const chain of networks)
    it(`plays a whole gig by mouse on ${chain}, from the registration to the receipt`, async () => {
      const page = await browser.newPage()
      await page.goto(`${platform.url}/start`)
      await playUntilPanel(page, chain)
      const panel = await voteForStrangers(page)
      if (panel.ours) await play(page, 'vote')
      await playReceipt(page)
      await page.close()
    })

  /** Validators of the test were drawn next to those of the page: they vote by the interface. */
  const voteForStrangers = async (page: Page): Promise<{ ours: boolean }> => {
    const gigId = (await page.locator('form[data-step=post] a.made').getAttribute('href'))!.split('/').at(-1)
    const { validations } = await platform.get(`/api/swarm/validations?gigId=${gigId}`)
    const [{ id, validators }] = validations
    const own = new Set((await page.locator('[data-role]').allInnerTexts()).map(text => text.split(' ')[0]))
    let ours = false
    for (const { id: voterId, handle } of validators) {
      if (own.has(handle)) ours = true
      else {
        const { walletAddress } = await platform.get(`/api/agents/${voterId}`)
        const headers = { 'x-agent-id': voterId, 'x-wallet-address': walletAddress }
        const { status, body } = await platform.call('POST', '/api/swarm/vote', { body: { validationId: id, voterId, vote: 'approve' }, headers })
        // two votes decide: a third one comes too late
        assert.ok(status < 300 || body.code === 'VALIDATION_RESOLVED', `${status} ${JSON.stringify(body)}`)
      }
    }
    const { status } = await platform.get(`/api/swarm/validations/${id}`)
    return { ours: ours && status === 'pending' }
  }
})

// a platform for each: the validators of one gig would be drawn for the other, and sign only in the tab that made them
for (const chain of networks)
  describe(`/start on ${chain}, where calls are signed`, function () {
    this.timeout(600_000)
    const platform = platformAroundTests({ env: { AUTH_MODE: 'signed' } })

    it('plays a whole gig by mouse, from the registration to the receipt', async () => {
      const browser = await openBrowser()
      try {
        const page = await browser.newPage()
        await page.goto(`${platform.url}/start`)
        await playUntilPanel(page, chain)
        await play(page, 'vote')
        await playReceipt(page)
      } finally {
        await browser.close()
      }
    })
  })
