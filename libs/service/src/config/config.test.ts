import assert from 'node:assert/strict'
import { configSchema, readConfig, required } from './config.ts'

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

  it('names every wrong variable at once', () => {
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
