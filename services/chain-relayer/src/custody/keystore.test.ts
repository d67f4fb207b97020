import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openDatabase } from '@carapace/store'
import { acquireMongo } from '@carapace/testing'
import { openCollections } from '../lane/collections.ts'
import { openCustody } from './custody.ts'
import { loadSeed } from './keystore.ts'

describe('the custody seed', () => {
  let folder: string
  const file = () => path.join(folder, 'keys', 'custody.json')
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carapace-seed-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('is the same after a restart, and its file holds no plain seed', async () => {
    const seed = await loadSeed(file(), 'correct horse battery', true)

    assert.deepEqual(Buffer.from(await loadSeed(file(), 'correct horse battery', true)), Buffer.from(seed))
    assert.ok(!(await readFile(file(), 'utf8')).includes(Buffer.from(seed).toString('hex')))
    assert.equal((await stat(file())).mode & 0o777, 0o600)
  })

  it('is one, whole, when several processes make it at the same time', async () => {
    const seeds = await Promise.all([1, 2, 3, 4].map(() => loadSeed(file(), 'correct horse battery', true)))

    for (const seed of seeds) assert.deepEqual(Buffer.from(seed), Buffer.from(seeds[0]!))
    assert.deepEqual(await readdir(path.dirname(file())), ['custody.json'])
  })

  it('stays closed to a wrong passphrase, which no error contains', async () => {
    await loadSeed(file(), 'correct horse battery', true)

    await assert.rejects(
      loadSeed(file(), 'another passphrase', true),
      (error: Error) => /wrong passphrase/.test(error.message) && !error.message.includes('another'),
    )
  })

  it('that is lost stops the start when wallets were made from it', async () => {
    await assert.rejects(loadSeed(file(), 'correct horse battery', false), /restore it from the backup/)
  })

  it('that is another than the database knows stops the start', async () => {
    const mongo = await acquireMongo()
    const database = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}custody` })
    try {
      const db = await openCollections(database)
      const first = await openCustody(new Uint8Array(32).fill(1), db.wallets, db.seeds)
      const { address } = await first.walletOf('an agent')

      const again = await openCustody(new Uint8Array(32).fill(1), db.wallets, db.seeds)
      assert.deepEqual(await again.walletOf('an agent'), { address, created: false })
      assert.deepEqual(await again.ownAmong([address, `0x${'00'.repeat(20)}`]), new Set([address]))
      await assert.rejects(openCustody(new Uint8Array(32).fill(2), db.wallets, db.seeds), /not the one of this database/)
    } finally {
      await database.close()
      await mongo.close()
    }
  })
})
