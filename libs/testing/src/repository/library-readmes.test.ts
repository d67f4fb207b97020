import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { acquireMongo } from '../mongo/acquire-mongo.ts'
import type { TestMongo } from '../mongo/mongo-servers.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../..', import.meta.url))
/** Next to this test's own code: from there the packages are found. */
const built = fileURLToPath(new URL('.', import.meta.url))
const longest = 40

describe('the README of each library', function () {
  this.timeout(300_000)
  let mongo: TestMongo

  before(async () => {
    mongo = await acquireMongo()
  })
  after(() => mongo.close())

  it(`has at most ${longest} lines and an example that runs`, async () => {
    for (const library of await readdir(path.join(root, 'libs'))) {
      const text = await readFile(path.join(root, 'libs', library, 'README.md'), 'utf8')
      assert.ok(text.trimEnd().split('\n').length <= longest, `${library} is longer than ${longest} lines`)
      const [, example] = /```js\n([\s\S]*?)```/.exec(text) ?? []
      assert.ok(example, `${library} has no example`)
      // Examples read their database from the environment, as a service does.
      const env = { ...process.env, MONGODB_URI: mongo.uri, DB_PREFIX: mongo.prefix }
      const file = path.join(built, `${library}.readme.mjs`)
      await writeFile(file, example)
      await run(process.execPath, [file], { cwd: root, env, timeout: 120_000 }).catch(({ stderr }) =>
        assert.fail(`the example of ${library} fails:\n${stderr}`),
      )
      await rm(file)
    }
  })
})
