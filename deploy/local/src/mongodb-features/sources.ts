import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Use, usesIn } from './features.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
/** Whose code uses a database. */
const packages = ['libs/store', 'libs/projections', 'libs/service', 'gateway', 'services']
const isTest = /\.(test|crash|fixture|bench)\.ts$|\/(testing|bench|torture)\//

/** What of MongoDB the sources of all processes use. */
export function usesOfSources(): Use[] {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...packages], { cwd: root, encoding: 'utf8' }).split('\n')
  return files.filter(file => file.endsWith('.ts') && !isTest.test(file)).flatMap(file => usesIn(file, readFileSync(`${root}${file}`, 'utf8')))
}

const [begin, end] = ['<!-- mongodb-features: written by npm run docs -->', '<!-- /mongodb-features -->']

/** The manual with this table. @throws Error when it has no place for it */
export function withTable(manual: string, table: string): string {
  const [before, rest] = manual.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`docs/operate.md lacks ${begin}`)
  return `${before}${begin}\n\n${table}\n\n${end}${after}`
}

export const manualFile = `${root}docs/operate.md`
