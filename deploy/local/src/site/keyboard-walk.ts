import type { Page } from 'playwright-core'

/** What a walk through a page by the Tab key alone has found. */
export interface Walk {
  /** Links, buttons and fields of the page that a person can see. */
  all: number
  /** Those that no Tab reaches. */
  missed: string[]
  /** Those that the focus does not change, or that have it outside of the window. */
  unseen: string[]
  /** Those that get the focus after one that follows them on the page. */
  disordered: string[]
}

/** Marks what should be reached, and notes what each of them looks like with and without the focus. */
const begin = `(() => {
  const named = 'a[href], button:not([disabled]), input:not([type=hidden]), select, textarea, summary, [tabindex="0"]'
  const shown = [...document.querySelectorAll(named)].filter(one => one.checkVisibility({ visibilityProperty: true }))
  const style = one => { const { outlineStyle, outlineWidth, boxShadow, borderColor } = getComputedStyle(one); return [outlineStyle === 'none' ? 0 : outlineWidth, boxShadow, borderColor].join() }
  const before = new Map(shown.map(one => [one, style(one)]))
  const name = one => one.outerHTML.slice(0, 120)
  const reached = []
  const unseen = []
  document.addEventListener('focusin', ({ target }) => {
    if (!before.has(target)) return
    reached.push(target)
    const { top, bottom, left, right } = target.getBoundingClientRect()
    const isInside = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth
    if (style(target) === before.get(target) || !isInside) unseen.push(name(target))
  })
  window.walked = () => ({
    all: shown.length,
    missed: shown.filter(one => !reached.includes(one)).map(name),
    unseen,
    disordered: reached.slice(1).filter((one, i) => shown.indexOf(one) < shown.indexOf(reached[i])).map(name),
  })
  return shown.length
})()`

/** Presses Tab until everything that can have the focus should have had it. */
export async function walkByKeyboard(page: Page): Promise<Walk> {
  const all = await page.evaluate<number>(begin)
  for (let i = 0; i < all; i++) await page.keyboard.press('Tab')
  return page.evaluate<Walk>('window.walked()')
}
