import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { limits } from '@carapace/api'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

describe('the limits', () => {
  it('are all used, each from its one home', () => {
    const sources = ['libs', 'services', 'gateway', 'deploy'].flatMap(sourcesUnder)

    const used = new Set(
      sources.flatMap(file => [...readFileSync(file, 'utf8').matchAll(/\blimits((?:\.[a-zA-Z]+)+)/g)].map(match => match[1]!.slice(1))),
    )

    assert.ok(sources.length > 400)
    assert.deepEqual(
      leaves(limits).filter(leaf => ![...used].some(use => use === leaf || use.startsWith(`${leaf}.`))),
      [],
    )
  })
})

const leaves = (branch: object): string[] =>
  Object.entries(branch).flatMap(([name, value]) => (typeof value === 'object' ? leaves(value).map(leaf => `${name}.${leaf}`) : [name]))

function sourcesUnder(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const inside = path.join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'dist' || entry.name === 'node_modules' ? [] : sourcesUnder(inside)
    return entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts') ? [path.join(root, inside)] : []
  })
}
