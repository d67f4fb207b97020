import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { processIdentity } from './process.ts'

type Holder = { pid: number; identity: string | undefined }

/** Locks the folder for this process; the lock of a process that has ended is replaced. Throws when a living one holds it. Returns the release. */
export async function lockFolder(dir: string): Promise<() => Promise<void>> {
  const path = join(dir, 'lock')
  const own = join(dir, `lock.${process.pid}.${Math.random().toString(36).slice(2)}`)
  await writeFile(own, JSON.stringify({ pid: process.pid, identity: processIdentity(process.pid) } satisfies Holder), { mode: 0o600 })
  try {
    for (let tries = 0; tries < 5; tries++) {
      // A hard link either makes the whole lock file or fails.
      const isLocked = await link(own, path).then(
        () => true,
        error => (isCode(error, 'EEXIST') ? false : Promise.reject(error as Error)),
      )
      if (isLocked) return () => rm(path, { force: true })
      const holder = await readHolder(path)
      const living = await folderHolder(dir)
      if (living !== undefined) throw new Error(`${dir} is in use by process ${living}`)
      await removeStale(path, `${own}.stale`, holder)
    }
    throw new Error(`${dir} is being acquired by another process`)
  } finally {
    await rm(own, { force: true })
  }
}

/** The process that has the folder; undefined where none does, or where it has ended without a release. */
export async function folderHolder(dir: string): Promise<number | undefined> {
  const holder = await readHolder(join(dir, 'lock'))
  return holder?.identity && processIdentity(holder.pid) === holder.identity ? holder.pid : undefined
}

/** Moves the stale lock away; should another process have locked the folder since it was read, that process gets its lock back. */
async function removeStale(path: string, aside: string, seen: Holder | undefined): Promise<void> {
  await rename(path, aside).catch(() => undefined)
  const moved = await readHolder(aside)
  if (moved && (moved.pid !== seen?.pid || moved.identity !== seen.identity)) await link(aside, path).catch(() => undefined)
  await rm(aside, { force: true })
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder
  } catch {
    return undefined
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
