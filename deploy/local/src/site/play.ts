import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** Presses the button of a step of /start and waits for what it says. */
export async function answerOf(page: Page, step: string): Promise<{ text: string; isFault: boolean }> {
  const form = page.locator(`form[data-step=${step}]`)
  await form.locator('button[type=submit]').click()
  await form.locator('.answer:not(:has-text("Under way"))').filter({ hasText: /\S/ }).waitFor({ timeout: 120_000 })
  return { text: (await form.locator('.answer').textContent()) ?? '', isFault: (await form.locator('.fault-text').count()) > 0 }
}

/** The same of a step that can be done. @throws AssertionError when it says a fault, or shows no call */
export async function play(page: Page, step: string): Promise<void> {
  const { text, isFault } = await answerOf(page, step)
  assert.equal(isFault, false, text)
  assert.ok((await page.locator(`form[data-step=${step}] .calls pre`).count()) > 0, 'its calls are shown')
}

/** What a step says that cannot be done now. @throws AssertionError when it can */
export async function refusalOf(page: Page, step: string): Promise<string> {
  const { text, isFault } = await answerOf(page, step)
  assert.ok(isFault, text)
  return text
}

/** The steps before the vote, by practice wallets of the page. @param before what happens before each step */
export async function playUntilPanel(page: Page, chain: string, before: () => Promise<unknown> = async () => undefined): Promise<void> {
  await page.selectOption('select[name=chain]', chain)
  await page.click('#practice')
  for (const step of ['register', 'fund', 'post', 'apply', 'accept', 'deliver', 'panel']) {
    await before()
    await play(page, step)
  }
}

/** The last step, which leads to the receipt. */
export async function playReceipt(page: Page): Promise<void> {
  await play(page, 'receipt')
  await page.click('form[data-step=receipt] a.made')
  await page.waitForURL('**/receipts/*')
  assert.match((await page.locator('.receipt').textContent()) ?? '', /USDC/)
}
