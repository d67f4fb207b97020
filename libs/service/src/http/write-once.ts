import { randomBytes } from 'node:crypto'
import { link, mkdir, open, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a secret file (mode 0600, its folder 0700) whole or not at all: a crash leaves no half of it, and of two processes that make it at the same
 * time one wins.
 * @returns false when the file exists already; it is not changed then
 */
export async function writeOnce(file: string, text: string): Promise<boolean> {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const own = `${file}.${randomBytes(6).toString('hex')}`
  await writeSynced(own, text)
  try {
    await link(own, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    await unlink(own)
    await syncFolder(folder)
  }
}

async function writeSynced(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
