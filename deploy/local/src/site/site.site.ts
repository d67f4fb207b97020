import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { startGateway } from '@carapace/gateway'
import type { Browser, Page, Request } from 'playwright-core'
import { platformAroundTests } from '../testing/around-tests.ts'
import { commerceJobIs } from '../testing/commerce-job.ts'
import { deliver, fundedJob, openPanel, vote } from '../testing/job.ts'
import { openBrowser, stateAfter } from './chromium.ts'
import { walkByKeyboard } from './keyboard-walk.ts'
import { filesOf, findingsOf, outsideOf } from './page-faults.ts'
import { nothingShown, pathsOf, populate, type Shown } from './pages.ts'

const budgetBytes = 60 * 1024
/** A small phone, a large one, a tablet, a laptop, a screen on a desk. */
const widths = [320, 430, 768, 1280, 1920]
/** Marks itself in the page, wherever it becomes markup. */
const hostile = `"'><img src=x onerror="document.documentElement.dataset.owned=1"><script>document.documentElement.dataset.owned=1</script><b data-owned>x</b>{{7*7}}`
/** How many fields that users wrote a page shows at least. */
const writtenFields: Readonly<Record<string, number>> = {
  // bio, skill, titles of its gig and of the receipt, review
  agent: 5,
  // title, description, proposal, votes
  gig: 5,
  // title, description, milestone, proposal, comment
  'gig-open': 5,
  // title, description, proposal, dispute
  'gig-disputed': 4,
  // title, description, proposal, votes
  job: 5,
  jobs: 1,
  gigs: 3,
  receipt: 1,
  'job-receipt': 1,
  home: 1,
  // title, description, note and dispute of a gig and of a job; title, description, note, vote and appeal of another gig
  operator: 12,
  // title, description, note, dispute
  'job-disputed': 4,
  // what a stranger wrote into the log of a contract
  'transaction-stranger': 1,
}

describe('the site', function () {
  this.timeout(600_000)
  let gateway: Awaited<ReturnType<typeof startGateway>>
  const platform = platformAroundTests({
    validators: true,
    env: { RATE_LIMIT_READ: '100000', RATE_LIMIT_WRITE: '100000' },
    startGateway: async options => {
      gateway = await startGateway(options)
      return gateway
    },
  })
  let browser: Browser
  let shown: Shown
  let session: Awaited<ReturnType<typeof stateAfter>>
  before(async () => {
    browser = await openBrowser()
    shown = await populate(platform, hostile)
    session = await stateAfter(browser, (await gateway.operatorLink())!)
  })
  after(() => browser.close())

  const visit = async <T>(path: string, options: Parameters<Browser['newContext']>[0], read: (page: Page) => Promise<T>): Promise<T> => {
    const context = await browser.newContext({ ...options, ...(path.startsWith('/operator') ? { storageState: session } : {}) })
    try {
      const page = await context.newPage()
      // the pages that are live have a stream that never ends
      await page.goto(platform.url + path, { waitUntil: 'load' })
      return await read(page)
    } finally {
      await context.close()
    }
  }
  const names = Object.keys(pathsOf(nothingShown))
  const pathOf = (name: string) => pathsOf(shown)[name]!

  for (const name of names)
    it(`shows ${name} without a finding of axe, light and dark, and on a phone`, async () => {
      await visit(pathOf(name), { colorScheme: 'light', bypassCSP: true, reducedMotion: 'reduce' }, async page => {
        assert.deepEqual(await findingsOf(page), [], 'light')
        await page.emulateMedia({ colorScheme: 'dark' })
        assert.deepEqual(await findingsOf(page), [], 'dark')
        await page.setViewportSize({ width: 320, height: 640 })
        assert.deepEqual(await findingsOf(page), [], 'on a phone')
      })
    })

  for (const name of names)
    it(`shows ${name} from 320 to 1920 pixels without scrolling sideways, loads nothing from elsewhere and breaks no policy`, async () => {
      const path = pathOf(name)
      const faults: string[] = []
      await visit(path, { viewport: { width: 320, height: 640 } }, async page => {
        page.on('console', message => message.type() === 'error' && faults.push(message.text()))
        page.on('request', request => !request.url().startsWith(platform.url) && !request.url().startsWith('data:') && faults.push(request.url()))
        await page.reload({ waitUntil: 'load' })
        for (const width of widths) {
          await page.setViewportSize({ width, height: 640 })
          assert.deepEqual(await outsideOf(page, width), [], `at ${width}`)
          assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width, `a text runs out of its box at ${width}`)
        }
      })
      // what the address itself answers with is no fault of the page
      assert.deepEqual(
        faults.filter(fault => !/status of 40[134]|\/api\/events/.test(fault)),
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
        await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`)
        const fields = (await page.evaluate<string>('document.body.innerText')).split('<b data-owned>x</b>').length - 1
        assert.ok(fields >= (writtenFields[name] ?? 0), `${name} shows ${fields} fields as they were written`)
      })
  })

  it('fits each page into 60 kB, with its style, its scripts and all that these import', async () => {
    const cookie = session.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    for (const name of names) {
      const html = await (await fetch(platform.url + pathOf(name), { headers: { cookie } })).text()
      const files = await filesOf(html, async path => (await fetch(platform.url + path)).text())
      if (name === 'start')
        assert.ok(
          [...files.keys()].some(path => path.endsWith('/vendor/secp256k1.js')),
          'what scripts import is counted',
        )
      const bytes = [html, ...files.values()].reduce((sum, text) => sum + gzipSync(text).length, 0)
      assert.ok(bytes <= budgetBytes, `${name}: ${bytes} bytes`)
    }
  })

  for (const name of names)
    it(`lets the keyboard alone reach everything on ${name}, in its order, and shows where it is`, async () => {
      await visit(pathOf(name), { reducedMotion: 'reduce' }, async page => {
        // what is loaded later replaces its link
        await page.locator('[data-load]').waitFor({ state: 'detached' })
        const { all, ...found } = await walkByKeyboard(page)
        assert.ok(all > 5, `${all} links, buttons and fields`)
        assert.deepEqual(found, { missed: [], unseen: [], disordered: [] })
      })
    })

  it('would fail that walk with a page that hides the focus, or something from it', async () => {
    await visit('/network', { bypassCSP: true }, async page => {
      await page.addStyleTag({ content: '*:focus-visible { outline: none !important; box-shadow: none !important }' })
      await page.evaluate(`document.querySelector('.nav a').tabIndex = -1`)
      const { all, missed, unseen } = await walkByKeyboard(page)
      assert.ok(unseen.length > all / 2, `${unseen.length} of ${all} are unseen`)
      assert.equal(missed.length, 1)
    })
  })

  it('skips to the content by the first tab, and searches by keyboard alone', async () => {
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

  for (const [name, net, fee] of [
    ['receipt', '38.80 USDC', '1.20 USDC'],
    ['job-receipt', '19.40 USDC', '0.60 USDC'],
  ] as const)
    it(`checks a ${name} on the network itself and says what it compared`, async () => {
      await visit(pathOf(name), {}, async page => {
        await page.click('#verify button')
        await page.locator('#verify .found li').nth(4).waitFor()
        const findings = (await page.locator('#verify').textContent()) ?? ''
        assert.equal(await page.locator('#verify .verified').count(), 1, findings)
        for (const amount of [net, fee]) assert.ok(findings.includes(amount), findings)
      })
    })

  it('says of a settled gig where its money is, and lets no vote wait', async () => {
    await visit(pathOf('gig'), {}, async page => {
      assert.equal(await page.locator('#money .meter').getAttribute('aria-label'), '38.80 USDC to the assignee, 1.20 USDC platform fee, 3 %')
      assert.doesNotMatch(await page.locator('#panel').innerText(), /to come|poll/i)
      assert.equal(await page.locator('#panel .votes a[href^="/tx/"]').count(), 2)
    })
  })

  it('counts the time of a dispute down, says what its end causes, and lets other moments grow older', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.clock.install()
    await page.goto(platform.url + pathOf('gig-disputed'), { waitUntil: 'load' })
    const step = page.locator('.timeline li.current').last()
    assert.match(await step.innerText(), /Without a decision until the end, then the poster gets the money back\s+ends in 13 d 23 h/)
    await page.clock.fastForward('03:00:00')
    assert.match(await step.innerText(), /ends in 13 d 20 h/)
    assert.match(await page.locator('.timeline li').first().innerText(), /3 hours ago/)
    await context.close()
  })

  it('says in one sentence what a transaction did, and leads to the gig it belongs to', async () => {
    await visit(pathOf('transaction'), {}, async page => {
      assert.match(await page.locator('h1').innerText(), /^poster-\w+ locked 40\.00 USDC in escrow for worker-\w+$/)
      await page.click('.facts a[href^="/gigs/"]')
      await page.waitForURL(`**/gigs/${shown.paidGig}`)
    })
  })

  it('shows a job from created to settled, each step with its transaction', async () => {
    await visit(pathOf('job'), {}, async page => {
      const steps = ['Created', 'Funded', 'Assigned', 'Delivered', 'Judged', 'Settled']
      assert.deepEqual(await page.locator('.timeline li.done strong').allInnerTexts(), steps)
      assert.equal(await page.locator('.timeline a[href^="/tx/BASE_SEPOLIA/0x"]').count(), steps.length)
      assert.equal(await page.locator('.timeline li time').count(), steps.length)
      await page.click('a[href^="/commerce-receipt/"]')
      await page.waitForURL('**/commerce-receipt/*')
    })
  })

  it('shows validators one by one on the page of the networks', async () => {
    await visit('/network', {}, async page => {
      const rows = page.locator('#validators table tbody tr')
      assert.ok((await rows.count()) >= 3)
      assert.match((await rows.first().innerText()).replaceAll(/\s+/g, ' '), /^\S+ [1-9]\d* [1-9]\d* \d+$/)
    })
  })

  it('follows what happens without being loaded again', async () => {
    await visit('/gigs', {}, async page => {
      await page.locator('body.is-live').waitFor()
      const title = 'A gig that was posted while somebody was reading'
      const poster = await platform.newPlayer({ prefix: 'late' })
      const reads = requestsFor(page, '/gigs')
      await platform.post('/api/gigs', { title, description: 'Read it.', budget: 5 }, poster.headers)
      await page.locator('#board .fresh', { hasText: title }).waitFor()
      assert.ok(reads.length > 0)
      // a request that forbids answers from memory would make the gateway build the page for each reader
      for (const request of reads) assert.equal(await request.headerValue('cache-control'), null)
    })
  })

  it('shows a vote as it falls, and the settlement that it causes, to those who are reading', async () => {
    const job = await fundedJob(platform, { text: 'A vault that others watch' })
    await deliver(platform, job)
    const { id, panel } = await openPanel(platform, job)
    await visit(`/gigs/${job.gigId}`, {}, gig =>
      visit('/', {}, async home => {
        for (const page of [gig, home]) {
          await page.locator('body.is-live').waitFor()
          // a page that was loaded again would have lost this
          await page.evaluate('window.isTheSame = true')
        }
        await vote(platform, id, panel.slice(0, 1), 'approve')
        await gig.locator('#panel .fresh', { hasText: 'Approve' }).waitFor()
        assert.match(await gig.locator('#panel').innerText(), /1 of 2 approvals/)

        await vote(platform, id, panel.slice(1, 2), 'approve')
        await home.locator('#settlements .fresh', { hasText: 'A vault that others watch' }).waitFor()
        await gig.locator('#progress li.done', { hasText: /paid/i }).waitFor()
        for (const page of [gig, home]) assert.equal(await page.evaluate('window.isTheSame'), true)
      }),
    )
  })

  it('lets an operator decide a disputed job, and examines the records while the page is read', async () => {
    await visit('/operator', {}, async page => {
      await page.locator('#doctor tbody tr').first().waitFor()
      const dispute = page.locator('article.dispute', { has: page.locator(`a[href="/jobs/${shown.disputedJob}"]`) })
      await dispute.locator('select[name=outcome]').selectOption('reject')
      await dispute.locator('input[name=reason]').fill('Two pages were agreed')
      await dispute.locator('button[type=submit]').click()
      await page.locator('h1', { hasText: 'Decide the dispute' }).waitFor()
      assert.equal(await page.locator('.over .chip').innerText(), 'Done')
    })
    await commerceJobIs(platform, shown.disputedJob, 'rejected')
  })

  it('works without a script', async () => {
    await visit('/agents', { javaScriptEnabled: false }, async page => {
      await page.fill('input[name=q]', shown.handle)
      await page.click('button[type=submit]')
      assert.equal(await page.locator('tbody tr').count(), 1)
    })
  })
})

/** The requests that a page makes for a path from now on. */
function requestsFor(page: Page, path: string): Request[] {
  const found: Request[] = []
  page.on('request', request => new URL(request.url()).pathname === path && found.push(request))
  return found
}
