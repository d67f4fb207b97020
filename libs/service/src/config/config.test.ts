import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { configSchema, readConfig, required, withFileContents } from './config.ts'

/** Variable, a wrong value, what the message says. */
const wrong: [name: string, value: string, says: RegExp][] = [
  ['PORT', 'http', /PORT must be/],
  ['PORT', '70000', /PORT must be/],
  ['RATE_LIMIT_READ', '-1', /RATE_LIMIT_READ must be a whole number/],
  ['PUBLIC_BASE_URL', 'carapace.example', /PUBLIC_BASE_URL must be a URL of http or https/],
  ['PUBLIC_BASE_URL', 'http://', /PUBLIC_BASE_URL must be a URL of http or https/],
  ['MONGODB_URI', 'postgres://db', /MONGODB_URI must be a URL of mongodb/],
  ['AMQP_URL', 'localhost:5672', /AMQP_URL must be a URL of amqp or amqps/],
  ['INTERNAL_KEY', 'short', /INTERNAL_KEY must have at least 32 characters/],
  ['DB_PREFIX', 'a b', /DB_PREFIX must be at most 20/],
  ['AUTH_MODE', 'none', /AUTH_MODE .*"plain".*"signed"/],
  ['ORACLE_WALLET', '0x12', /ORACLE_WALLET must be 0x and 40 hex digits/],
  ['RELAYER_KEY_BASE_SEPOLIA', '0x12', /RELAYER_KEY_BASE_SEPOLIA must be 0x and 64 hex digits/],
  ['TRUST_ANCHORS', 'our-poster', /TRUST_ANCHORS must be ids of agents/],
  ['LOG_LEVEL', 'loud', /LOG_LEVEL .*"info"/],
  ['SANDBOX', 'maybe', /SANDBOX .*"yes"/],
  ['CUSTODY_PASSPHRASE', 'tooshort', /CUSTODY_PASSPHRASE must have at least 12/],
]

describe('configuration', () => {
  for (const [name, value, says] of wrong)
    it(`is refused with ${name}=${value}, saying what would be right and not what was there`, () => {
      const read = () => readConfig({ [name]: value })

      assert.throws(read, says)
      if (value.length > 5) assert.throws(read, (error: Error) => !error.message.includes(value))
    })

  it('names every wrong variable in one error', () => {
    assert.throws(() => readConfig({ PORT: 'x', AMQP_URL: 'x', LOG_LEVEL: 'x' }), /PORT.*; .*AMQP_URL.*; .*LOG_LEVEL/)
  })

  it('describes the meaning of every variable', () => {
    for (const [name, field] of Object.entries(configSchema.shape)) assert.ok(field.description, name)
  })

  it('treats an empty variable as one that is not set, and defaults of the process before those of the table', () => {
    assert.equal(readConfig({ PORT: '' }).PORT, 3000)
    assert.equal(readConfig({}, { PORT: '3101' }).PORT, 3101)
    assert.equal(readConfig({ PORT: '4000' }, { PORT: '3101' }).PORT, 4000)
  })

  it('accepts replica sets of several hosts', () => {
    const uri = 'mongodb://a:27017,b:27017/?replicaSet=rs0'

    assert.equal(readConfig({ MONGODB_URI: uri }).MONGODB_URI, uri)
  })

  it('names the variable that a process cannot do without', () => {
    assert.throws(() => required(readConfig({}), 'INTERNAL_KEY'), /INTERNAL_KEY is not set: .*secret/i)
    assert.equal(required(readConfig({ INTERNAL_KEY: 'k'.repeat(32) }), 'INTERNAL_KEY'), 'k'.repeat(32))
  })
})

describe('a variable given as a file', () => {
  const secret = 'k'.repeat(32)
  let folder: string
  let file: string
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'carapace-config-'))
    file = path.join(folder, 'internal-key')
    writeFileSync(file, `${secret}\n`)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('has its content, without the end of the line', () => {
    assert.equal(readConfig({ INTERNAL_KEY_FILE: file }).INTERNAL_KEY, secret)
  })

  it('comes before the default of the process', () => {
    assert.equal(readConfig({ INTERNAL_KEY_FILE: file }, { INTERNAL_KEY: 'd'.repeat(32) }).INTERNAL_KEY, secret)
  })

  it('is held to the same form, and a wrong content is in no message', () => {
    writeFileSync(path.join(folder, 'wrong'), 'wrong-content')
    const read = () => readConfig({ INTERNAL_KEY_FILE: path.join(folder, 'wrong') })

    assert.throws(read, /INTERNAL_KEY must have at least 32 characters/)
    assert.throws(read, (error: Error) => !error.message.includes('wrong-content'))
  })

  it('is refused when it is given both ways', () => {
    assert.throws(() => readConfig({ INTERNAL_KEY: secret, INTERNAL_KEY_FILE: file }), /INTERNAL_KEY and INTERNAL_KEY_FILE are both set/)
  })

  it('is refused when its file cannot be read, with every other one', () => {
    assert.throws(
      () => readConfig({ INTERNAL_KEY_FILE: `${file}-gone`, AMQP_URL_FILE: folder }),
      /INTERNAL_KEY_FILE names .*internal-key-gone, which cannot be read: ENOENT; AMQP_URL_FILE names .* cannot be read: EISDIR/,
    )
  })

  it('is not meant where the name of a variable ends so itself', () => {
    assert.equal(readConfig({ CUSTODY_SEED_FILE: '/run/custody.json' }).CUSTODY_SEED_FILE, '/run/custody.json')
  })

  it('is passed on as its content, once', () => {
    assert.deepEqual(withFileContents({ INTERNAL_KEY_FILE: file, PATH: '/bin' }), { INTERNAL_KEY: secret, PATH: '/bin' })
  })
})
