import assert from 'node:assert/strict'
import { type ChainPlatform, type System, until } from '@carapace/testing'
import { type Contract, parseUnits, toBeHex, Wallet } from 'ethers'
import type { Browser, Page } from 'playwright-core'
import { platformAroundTests } from '../testing/around-tests.ts'
import { vote } from '../testing/job.ts'
import { holdWallet, openBrowser } from './chromium.ts'
import { answerOf, play, playReceipt, playUntilPanel, refusalOf } from './play.ts'

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
    it(`plays a whole gig by mouse on ${chain}, from the registration to the receipt, also when the page is loaded again before each step`, async () => {
      const page = await browser.newPage()
      await page.goto(`${platform.url}/start`)
      const handles = () => page.locator('[data-role]').allInnerTexts()
      await playUntilPanel(page, chain, () => page.reload())
      const before = await handles()
      await page.reload()
      assert.deepEqual(await handles(), before)
      assert.equal(await page.locator('form.done').count(), 7)
      assert.equal(await page.locator('li[aria-current=step] form').getAttribute('data-step'), 'vote')

      // what a step says of a panel without a validator of the page is no fault, and the receipt follows the votes of others
      await play(page, 'vote')
      await voteForStrangers(platform, page)
      await playReceipt(page)
      await page.close()
    })

  it('goes on with each gig from where it is, also after another one', async () => {
    const page = await browser.newPage()
    const done = () => page.locator('form.done').evaluateAll(forms => forms.map(form => form.getAttribute('data-step')))
    await page.goto(`${platform.url}/start`)
    await page.click('#practice')
    for (const step of ['register', 'fund', 'post', 'apply']) await play(page, step)
    const first = await page.locator('input[name=gig]').inputValue()
    const other = '01934f3a-5b7c-7d2e-8f10-2a3b4c5d6e7f'

    await page.goto(`${platform.url}/start?gig=${other}`)
    assert.deepEqual(await done(), ['register', 'fund'])
    await page.goto(`${platform.url}/start?gig=${first}`)
    assert.deepEqual(await done(), ['register', 'fund', 'post', 'apply'])
    // a gig that is posted now, not that of the address, is what a reload goes on with
    await page.goto(`${platform.url}/start?gig=${other}`)
    await play(page, 'post')
    const second = await page.locator('input[name=gig]').inputValue()
    await page.reload()
    assert.deepEqual([await page.locator('input[name=gig]').inputValue(), await done()], [second, ['register', 'fund', 'post']])
    assert.ok(![first, other].includes(second))
    await page.close()
  })

  it('begins again with other wallets when that is wanted', async () => {
    const page = await browser.newPage()
    await page.goto(`${platform.url}/start`)
    await page.click('#practice')
    const wallet = await page.locator('[data-role=poster]').innerText()

    await page.click('#restart')

    await page.locator('[data-role=poster]', { hasText: 'no wallet yet' }).waitFor()
    await page.click('#practice')
    assert.notEqual(await page.locator('[data-role=poster]').innerText(), wallet)
    await page.close()
  })
})

/** Validators of the test were drawn next to those of the page: they vote by the interface. */
async function voteForStrangers(system: System, page: Page): Promise<void> {
  const gigId = (await page.locator('form[data-step=post] a.made').getAttribute('href'))!.split('/').at(-1)
  const { validations } = await system.get(`/api/swarm/validations?gigId=${gigId}`)
  const [{ id, validators }] = validations
  const own = new Set((await page.locator('[data-role]').allInnerTexts()).map(text => text.split(' ')[0]))
  const strangers = validators.filter(({ handle }: { handle: string }) => !own.has(handle)).map((one: { id: string }) => one.id)
  await vote(system, id, strangers, 'approve')
}

describe('/start where there is no test money', function () {
  this.timeout(300_000)
  const platform = platformAroundTests({ validators: true, env: { SANDBOX: 'no' } })
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  /** A page whose browser has this wallet. */
  const pageOf = async (wallet: Wallet, path = '/start') => {
    const context = await browser.newContext()
    await holdWallet(context, wallet)
    const page = await context.newPage()
    await page.goto(platform.url + path)
    return page
  }

  it('plays the part of the poster and, elsewhere, of the worker, each with the wallet of its browser', async () => {
    const [posterWallet, workerWallet] = [Wallet.createRandom(), Wallet.createRandom()].map(({ privateKey }) => new Wallet(privateKey))
    const poster = await pageOf(posterWallet!)
    assert.equal(await poster.locator('#practice').count(), 0)
    await poster.click('text=Use Test Wallet')
    await poster.locator('#wallets .answer', { hasText: 'has no agent yet' }).waitFor()
    await poster.fill('input[name=handle]', 'the-poster')
    await play(poster, 'register')

    const depositAddress = /0x[0-9a-fA-F]{40}/.exec(await refusalOf(poster, 'fund'))?.[0]
    assert.ok(depositAddress, 'the page says where the money goes')
    await giveUsdc(platform, depositAddress, 100)
    await until('the deposit is in the treasury', async () => !(await answerOf(poster, 'fund')).isFault)
    await play(poster, 'post')
    const gig = await poster.inputValue('input[name=gig]')
    assert.match(await refusalOf(poster, 'accept'), /Nobody has applied yet/)

    const worker = await pageOf(workerWallet!, `/start?gig=${gig}`)
    await worker.selectOption('select[name=role]', 'worker')
    await worker.click('text=Use Test Wallet')
    await play(worker, 'register')
    await play(worker, 'apply')
    assert.match(await refusalOf(worker, 'accept'), /No wallet of this page is the poster/)
    await play(poster, 'accept')
    // a wallet that trusts the page still signs after it was loaded again
    await worker.reload()
    await play(worker, 'deliver')
    await play(poster, 'panel')
    await voteForStrangers(platform, poster)
    await playReceipt(poster)
    await worker.context().close()
  })

  it('signs a wallet in as the agent that it has, in another browser', async () => {
    const player = await platform.newPlayer({ prefix: 'returning' })
    const page = await pageOf(player.wallet)

    await page.click('text=Use Test Wallet')

    await page.locator('#wallets .answer', { hasText: 'Signed in as the agent of this wallet' }).waitFor()
    assert.match(await page.locator('[data-role=poster]').innerText(), new RegExp(`^${player.handle} ${player.wallet.address}`))
    await play(page, 'post')
    const { posterId } = await platform.get(`/api/gigs/${await page.inputValue('input[name=gig]')}`)
    assert.equal(posterId, player.id)
  })
})

/** USDC from outside of the platform, on the first network. */
async function giveUsdc({ networks }: ChainPlatform, to: string, amount: number): Promise<void> {
  const { provider, usdc } = networks.BASE_SEPOLIA
  const giver = Wallet.createRandom().connect(provider)
  const micro = parseUnits(String(amount), 6)
  await provider.send('anvil_setBalance', [giver.address, toBeHex(10n ** 18n)])
  await provider.send('anvil_dealERC20', [giver.address, await usdc.getAddress(), toBeHex(micro)])
  await (await (usdc.connect(giver) as Contract).getFunction('transfer')(to, micro)).wait()
}

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
