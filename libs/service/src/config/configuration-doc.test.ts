import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { configSchema } from './config.ts'
import { configurationDoc } from './configuration-doc.ts'

describe('the table of variables', () => {
  it('in docs/configuration.md is the one of the code (npm run docs)', () => {
    assert.equal(readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8'), configurationDoc())
  })

  it('says of every variable what it means', () => {
    for (const [name, schema] of Object.entries(configSchema.shape)) assert.ok(schema.description, name)
  })
})
