import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { generatedSources } from './sources.ts'

describe('the generated sources of the SDK', () => {
  it('are what the declarations say (npm run docs)', async () => {
    for (const [name, text] of Object.entries(await generatedSources())) {
      const written = readFileSync(new URL(`../../src/generated/${name}`, import.meta.url), 'utf8')

      assert.ok(written === text, `libs/client/src/generated/${name} is stale: run npm run docs`)
    }
  })
})
