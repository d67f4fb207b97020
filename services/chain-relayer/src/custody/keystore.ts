import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { writeOnce } from '@carapace/service'
import { z } from 'zod'

/** The custody seed at rest: AES-256-GCM under a key that scrypt makes of the passphrase. All fields hex. */
const sealed = z.object({
  version: z.literal(1),
  kdf: z.literal('scrypt'),
  n: z.int(),
  r: z.int(),
  p: z.int(),
  salt: z.string(),
  iv: z.string(),
  tag: z.string(),
  data: z.string(),
})
type Sealed = z.output<typeof sealed>

const cost = { n: 1 << 15, r: 8, p: 1 }
const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)
const keyOf = (passphrase: string, salt: Buffer, { n, r, p }: typeof cost) => derive(passphrase, salt, 32, { N: n, r, p, maxmem: 256 * n * r })

/**
 * The seed of the custodial wallets; made and written (mode 0600) when there is no file yet.
 * @throws Error that never holds seed or passphrase: wrong passphrase, damaged file, file lost although the database knows a seed
 */
export async function loadSeed(file: string, passphrase: string, mayCreate: boolean): Promise<Uint8Array> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new Error(`the custody seed file ${file} cannot be read: ${error.code}`)
  })
  if (text !== undefined) return unseal(text, passphrase, file)
  if (!mayCreate) throw new Error(`the custody seed file ${file} is missing, but wallets were made from it: restore it from the backup`)
  const seed = randomBytes(32)
  if (await writeOnce(file, JSON.stringify(await seal(seed, passphrase)))) return seed
  return unseal(await readFile(file, 'utf8'), passphrase, file)
}

async function seal(seed: Uint8Array, passphrase: string): Promise<Sealed> {
  const salt = randomBytes(16)
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', await keyOf(passphrase, salt, cost), iv)
  const data = Buffer.concat([cipher.update(seed), cipher.final()])
  return {
    version: 1,
    kdf: 'scrypt',
    ...cost,
    salt: salt.toString('hex'),
    iv: iv.toString('hex'),
    tag: cipher.getAuthTag().toString('hex'),
    data: data.toString('hex'),
  }
}

async function unseal(text: string, passphrase: string, file: string): Promise<Uint8Array> {
  try {
    const box = sealed.parse(JSON.parse(text))
    const decipher = createDecipheriv('aes-256-gcm', await keyOf(passphrase, Buffer.from(box.salt, 'hex'), box), Buffer.from(box.iv, 'hex'))
    decipher.setAuthTag(Buffer.from(box.tag, 'hex'))
    return Buffer.concat([decipher.update(Buffer.from(box.data, 'hex')), decipher.final()])
  } catch {
    throw new Error(`the custody seed file ${file} cannot be opened: wrong passphrase or damaged file`)
  }
}
