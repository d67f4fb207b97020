import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { platformAroundTests } from '../testing/around-tests.ts'
import { openBrowser } from './chromium.ts'
import { pathsOf, populate, type Shown } from './pages.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const standards = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']
const budgetBytes = 60 * 1024
/** Marks itself in the page, wherever it becomes markup. */
const hostile = `"'><img src=x onerror="document.documentElement.dataset.owned=1"><script>document.documentElement.dataset.owned=1</script><b data-owned>x</b>{{7*7}}`

describe('the site', function () {
  this.timeout(600_000)
  const platform = platformAroundTests({ validators: true, env: { RATE_LIMIT_READ: '100000', RATE_LIMIT_WRITE: '100000' } })
  let browser: Browser
  let shown: Shown
  before(async () => {
    browser = await openBrowser()
    shown = await populate(platform, hostile)
  })
  after(() => browser.close())

  const visit = async <T>(path: string, options: Parameters<Browser['newContext']>[0], read: (page: Page) => Promise<T>): Promise<T> => {
    const context = await browser.newContext(options)
    try {
      const page = await context.newPage()
      // the pages that are live have a stream that never ends
      await page.goto(platform.url + path, { waitUntil: 'load' })
      return await read(page)
    } finally {
      await context.close()
    }
  }
  const names = Object.keys(pathsOf({ handle: '', paidGig: '', openGig: '', txHash: '' }))
  const pathOf = (name: string) => pathsOf(shown)[name]!

  for (const name of names)
    for (const colorScheme of ['light', 'dark'] as const)
      it(`shows ${name} without a finding of axe, ${colorScheme}`, async () => {
        const findings = await visit(pathOf(name), { colorScheme, bypassCSP: true, reducedMotion: 'reduce' }, async page => {
          await page.addScriptTag({ content: axeSource })
          const run = `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(standards)} } })`
          const { violations } = await page.evaluate<Findings>(run)
          return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
        })

        assert.deepEqual(findings, [])
      })

  for (const name of names)
    it(`shows ${name} at 320 pixels without scrolling sideways, loads nothing from elsewhere and breaks no policy`, async () => {
      const path = pathOf(name)
      const faults: string[] = []
      await visit(path, { viewport: { width: 320, height: 640 } }, async page => {
        page.on('console', message => message.type() === 'error' && faults.push(message.text()))
        page.on('request', request => !request.url().startsWith(platform.url) && !request.url().startsWith('data:') && faults.push(request.url()))
        await page.reload({ waitUntil: 'load' })
        // a table scrolls by itself
        const outside = await page.evaluate<string[]>(
          `[...document.querySelectorAll('body *')].filter(one => !one.closest('.table, pre') && one.getBoundingClientRect().right > 320.5 && !one.closest('.skip, .hidden-label')).map(one => one.outerHTML.slice(0, 120))`,
        )
        assert.deepEqual(outside, [])
        assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 320)
      })
      // what the address itself answers with is no fault of the page
      assert.deepEqual(
        faults.filter(fault => !/status of 404|\/api\/events/.test(fault)),
        [],
      )
    })

  it('shows what users wrote as text, in every field of every page', async () => {
    for (const name of names)
      await visit(pathOf(name), {}, async page => {
        const owned = await page.evaluate(
          `document.documentElement.dataset.owned !== undefined || document.querySelector('[data-owned], [onerror], img[src="x"]') !== null`,
        )
        assert.equal(owned, false, name)
      })
    await visit(pathOf('gig-open'), {}, async page => {
      const text = await page.evaluate<string>('document.body.innerText')
      assert.ok(text.split('<b data-owned>x</b>').length > 4, 'title, description, proposal, milestone and comment are there as they were written')
    })
  })

  it('fits each page into 60 kB, with its style and its scripts', async () => {
    for (const name of names) {
      const html = await (await fetch(platform.url + pathOf(name))).text()
      const files = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+\.(?:css|js))"/g)].map(match => match[1]!)
      const texts = await Promise.all([...new Set(files)].map(async file => (await fetch(platform.url + file)).text()))
      const bytes = [html, ...texts].reduce((sum, text) => sum + gzipSync(text).length, 0)
      assert.ok(bytes <= budgetBytes, `${name}: ${bytes} bytes`)
    }
  })

  it('is used by keyboard alone: the first tab skips to the content, all links and buttons are reached and seen', async () => {
    await visit('/', {}, async page => {
      await page.keyboard.press('Tab')
      assert.equal(await page.evaluate('document.activeElement?.className'), 'skip')
      await page.keyboard.press('Enter')
      assert.equal(await page.evaluate('document.activeElement?.id'), 'main')
      await page.keyboard.press('Tab')
      await page.keyboard.type(shown.handle)
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/agents/${shown.handle}`)
    })
  })

  it('checks a receipt on the network itself and says what it compared', async () => {
    await visit(pathOf('receipt'), {}, async page => {
      await page.click('#verify button')
      await page.locator('#verify .found li').nth(4).waitFor()
      assert.equal(await page.locator('#verify .verified').count(), 1, (await page.locator('#verify').textContent()) ?? '')
    })
  })

  it('follows what happens without being loaded again', async () => {
    await visit('/gigs', {}, async page => {
      await page.locator('body.is-live').waitFor()
      const title = 'A gig that was posted while somebody was reading'
      const poster = await platform.newPlayer({ prefix: 'late' })
      await platform.post('/api/gigs', { title, description: 'Read it.', budget: 5 }, poster.headers)
      await page.locator('#board .fresh', { hasText: title }).waitFor()
    })
  })

  it('works without a script', async () => {
    await visit('/agents', { javaScriptEnabled: false }, async page => {
      await page.fill('input[name=q]', shown.handle)
      await page.click('button[type=submit]')
      assert.equal(await page.locator('tbody tr').count(), 1)
    })
  })

  for (const chain of ['BASE_SEPOLIA', 'SKALE_TESTNET'])
    it(`plays a whole gig by mouse at /start on ${chain}, from the registration to the receipt`, async () => {
      await visit('/start', {}, async page => {
        await page.selectOption('select[name=chain]', chain)
        await page.click('#practice')
        for (const step of ['register', 'fund', 'post', 'apply', 'accept', 'deliver', 'panel']) await play(page, step)
        const panel = await voteForStrangers(page)
        if (panel.ours) await play(page, 'vote')
        await play(page, 'receipt')
        await page.click('form[data-step=receipt] a.made')
        await page.waitForURL('**/receipts/*')
        assert.match((await page.locator('.receipt').textContent()) ?? '', /USDC/)
      })
    })

  const play = async (page: Page, step: string) => {
    const form = page.locator(`form[data-step=${step}]`)
    await form.locator('button[type=submit]').click()
    await form.locator('.answer:not(:has-text("Under way"))').filter({ hasText: /\S/ }).waitFor({ timeout: 120_000 })
    assert.equal(await form.locator('.fault-text').count(), 0, (await form.locator('.answer').textContent()) ?? '')
    assert.ok((await form.locator('.calls pre').count()) > 0, 'its calls are shown')
  }

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

interface Findings {
  violations: { id: string; nodes: { html: string }[] }[]
}
