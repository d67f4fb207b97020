import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readConfig } from '@carapace/service'
import { computeAddress } from 'ethers'
import { makeSecrets } from './make-secrets.ts'

describe('the secrets of a deployment', () => {
  let folder: string
  const file = (name: string) => path.join(folder, name)
  const read = async (name: string) => (await readFile(file(name), 'utf8')).trim()
  before(async () => {
    folder = path.join(await mkdtemp(path.join(tmpdir(), 'carapace-secrets-')), 'made')
    await makeSecrets(folder)
  })
  after(() => rm(path.dirname(folder), { recursive: true, force: true }))

  it('have the form that the configuration wants', async () => {
    const config = readConfig({
      INTERNAL_KEY_FILE: file('internal-key'),
      INTERNAL_KEY_ACCEPTED_FILE: file('internal-key-accepted'),
      ISSUER_KEYS_ACCEPTED_FILE: file('issuer-keys-accepted'),
      AMQP_URL_FILE: file('amqp-url'),
      METRICS_TOKEN_FILE: file('metrics-token'),
      CUSTODY_PASSPHRASE_FILE: file('custody-passphrase'),
      RELAYER_KEY_BASE_SEPOLIA_FILE: file('relayer-key'),
      RELAYER_KEY_BASE_SEPOLIA_RETIRING_FILE: file('relayer-key-retiring'),
      DOCTOR_KEY_FILE: file('oracle-key'),
      ORACLE_WALLET_FILE: file('oracle-wallet'),
      X402_PAY_TO_ADDRESS_FILE: file('income-wallet'),
    })

    assert.deepEqual(
      [config.INTERNAL_KEY_ACCEPTED, config.ISSUER_KEYS_ACCEPTED, config.RELAYER_KEY_BASE_SEPOLIA_RETIRING],
      [undefined, [], undefined],
    )
    assert.equal(config.ORACLE_WALLET, computeAddress(config.DOCTOR_KEY!))
    assert.ok((await read('rabbitmq.conf')).endsWith(`default_pass = ${new URL(config.AMQP_URL!).password}`))
  })

  it('are read by any user who may enter the folder, which is its owner alone', async () => {
    assert.equal((await stat(folder)).mode & 0o777, 0o700)
    for (const name of await readdir(folder)) assert.equal((await stat(file(name))).mode & 0o777, 0o444, name)
  })

  it('stay as they are, and only what is missing is made', async () => {
    const key = await read('internal-key')
    await rm(file('metrics-token'))

    assert.deepEqual(await makeSecrets(folder), ['metrics-token'])
    assert.deepEqual(await makeSecrets(folder), [])
    assert.equal(await read('internal-key'), key)
  })
})
