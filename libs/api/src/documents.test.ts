import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { documents } from './documents.ts'

describe('docs/', () => {
  for (const [name, text] of Object.entries(documents()))
    it(`${name} is what the declarations say (npm run docs)`, () => {
      const written = readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')

      assert.ok(written === text, `docs/${name} is stale: run npm run docs`)
    })
})
