import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** Presses the button of a step of /start and waits for what it says. @throws AssertionError when it says a fault, or shows no call */
export async function play(page: Page, step: string): Promise<void> {
  const form = page.locator(`form[data-step=${step}]`)
  await form.locator('button[type=submit]').click()
  await form.locator('.answer:not(:has-text("Under way"))').filter({ hasText: /\S/ }).waitFor({ timeout: 120_000 })
  assert.equal(await form.locator('.fault-text').count(), 0, (await form.locator('.answer').textContent()) ?? '')
  assert.ok((await form.locator('.calls pre').count()) > 0, 'its calls are shown')
}

/** The steps before the vote, by practice wallets of the page. */
export async function playUntilPanel(page: Page, chain: string): Promise<void> {
  await page.selectOption('select[name=chain]', chain)
  await page.click('#practice')
  for (const step of ['register', 'fund', 'post', 'apply', 'accept', 'deliver', 'panel']) await play(page, step)
}

/** The last step, which leads to the receipt. */
export async function playReceipt(page: Page): Promise<void> {
  await play(page, 'receipt')
  await page.click('form[data-step=receipt] a.made')
  await page.waitForURL('**/receipts/*')
  assert.match((await page.locator('.receipt').textContent()) ?? '', /USDC/)
}
