import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const standards = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']

interface Findings {
  violations: { id: string; nodes: { html: string }[] }[]
}

/** What axe finds wrong with a page, one line each. The context of the page bypasses its policy, or axe would not run. */
export async function findingsOf(page: Page): Promise<string[]> {
  await page.addScriptTag({ content: axeSource })
  const run = `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(standards)} } })`
  const { violations } = await page.evaluate<Findings>(run)
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

/** Elements that reach over the right edge of a window of so many pixels. A table scrolls by itself. */
export const outsideOf = (page: Page, width: number): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('body *')].filter(one => !one.closest('.table, pre') && one.getBoundingClientRect().right > ${width + 0.5} && !one.closest('.skip, .hidden-label')).map(one => one.outerHTML.slice(0, 120))`,
  )

/** The styles and scripts that a page loads, by path, with everything that these import. */
export async function filesOf(html: string, read: (path: string) => Promise<string>): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const waiting = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+\.(?:css|js))"/g)].map(match => match[1]!)
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path)) continue
    const text = await read(path)
    files.set(path, text)
    for (const [, imported] of text.matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+\.js)['"]/g))
      waiting.push(new URL(imported!, `http://here${path}`).pathname)
  }
  return files
}
