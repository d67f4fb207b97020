import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile } from 'node:fs/promises'
import path from 'node:path'
import { Wallet } from 'ethers'

/** What the embedded start creates once and stores in DATA_DIR/keys, readable by its owner only. Back this folder up. */
export interface Keys {
  internalKey: string
  passphrase: string
  /** Private keys; the relayer's lane key is the same on both networks. */
  relayer: string
  deployer: string
  oracle: string
  /** Receives what sold calls cost (x402). */
  income: string
}

const makers: Record<keyof Keys, () => string> = {
  internalKey: () => randomBytes(32).toString('hex'),
  passphrase: () => randomBytes(24).toString('base64url'),
  relayer: () => Wallet.createRandom().privateKey,
  deployer: () => Wallet.createRandom().privateKey,
  oracle: () => Wallet.createRandom().privateKey,
  income: () => Wallet.createRandom().privateKey,
}

export async function loadKeys(dataDir: string): Promise<Keys> {
  const folder = path.join(dataDir, 'keys')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const entries = await Promise.all(Object.entries(makers).map(async ([name, make]) => [name, await loadOrMake(path.join(folder, name), make)]))
  return Object.fromEntries(entries) as Keys
}

/** A key of a data folder that was started before; undefined where there is none. */
export async function existingKey(dataDir: string, name: keyof Keys): Promise<string | undefined> {
  return readKey(path.join(dataDir, 'keys', name))
}

async function readKey(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? '' : Promise.reject(error)))
  return text.trim() || undefined
}

async function loadOrMake(file: string, make: () => string): Promise<string> {
  const stored = await readKey(file)
  if (stored !== undefined) return stored
  const value = make()
  const handle = await open(file, 'w', 0o600)
  try {
    await handle.writeFile(`${value}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return value
}
