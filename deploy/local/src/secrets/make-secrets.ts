import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { loadSeed } from '@carapace/chain-relayer'
import { issuerSource } from '@carapace/identity'
import { readConfig, writeOnce } from '@carapace/service'
import { computeAddress, Wallet } from 'ethers'

const random = (bytes: number) => () => randomBytes(bytes).toString('hex')
/** Set while keys are exchanged only (docs/operate.md). */
const none = () => ''
const newKey = () => Wallet.createRandom().privateKey

/** What no other secret is made from. */
const independent: Record<string, () => string> = {
  'internal-key': random(32),
  'internal-key-accepted': none,
  'issuer-keys-accepted': none,
  'metrics-token': random(24),
  'custody-passphrase': random(24),
  'rabbitmq-password': random(24),
  'relayer-key': newKey,
  'relayer-key-retiring': none,
  'oracle-key': newKey,
  'income-key': newKey,
}

/** Secret → the one that it is made from, and how. */
const derived: Record<string, [from: string, make: (value: string) => string]> = {
  'amqp-url': ['rabbitmq-password', password => `amqp://carapace:${password}@rabbitmq:5672`],
  'rabbitmq.conf': ['rabbitmq-password', password => `default_user = carapace\ndefault_pass = ${password}`],
  'oracle-wallet': ['oracle-key', computeAddress],
  'income-wallet': ['income-key', computeAddress],
}

/**
 * Makes every secret of a deployment that the folder does not hold, one file each; what is there stays. Only the owner enters the folder; the files in
 * it can be read by any user, since the user of a container is not the one who made them.
 * @returns names of the files that were made
 */
export async function makeSecrets(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const before = new Set(await readdir(folder))
  const read = async (name: string) => (await readFile(path.join(folder, name), 'utf8')).trim()
  for (const [name, make] of Object.entries(independent)) if (!before.has(name)) await writeOnce(path.join(folder, name), `${make()}\n`)
  for (const [name, [from, make]] of Object.entries(derived))
    if (!before.has(name)) await writeOnce(path.join(folder, name), `${make(await read(from))}\n`)
  await loadSeed(path.join(folder, 'custody.json'), await read('custody-passphrase'), true)
  await issuerSource(readConfig({ ISSUER_KEY_FILE: path.join(folder, 'issuer.json') }), 'http://localhost')()
  const made = (await readdir(folder)).filter(name => !before.has(name))
  for (const name of made) await chmod(path.join(folder, name), 0o444)
  return made
}
