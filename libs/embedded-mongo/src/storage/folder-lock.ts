import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Table } from './table.ts'

interface Owner {
  pid: number
  /** Start time of the process in clock ticks, where the system reports it: a pid alone may have been reused. */
  started: string
  token: string
}

const key = Buffer.from('o')
const heldHere = new Set<string>()

/**
 * Makes this engine the folder's only one. The owner's record is read and written in one write transaction, which the store
 * serialises between processes; a record of a dead process is replaced. Returns the function that releases the folder.
 */
export async function claimFolder(
  path: string,
  meta: Table,
  write: (change: () => Owner | undefined) => Promise<Owner | undefined>,
): Promise<() => void> {
  const mine: Owner = { pid: process.pid, started: startOf(process.pid), token: randomUUID() }
  const other = await write(() => {
    const raw = meta.get(key)
    const owner = raw && (JSON.parse(raw.toString('utf8')) as Owner)
    if (owner && isAlive(owner)) return owner
    meta.put(key, Buffer.from(JSON.stringify(mine)))
    return undefined
  })
  if (other) throw new Error(`the data folder ${path} is in use by another engine (process ${other.pid})`)
  heldHere.add(mine.token)
  return () => {
    heldHere.delete(mine.token)
    meta.remove(key)
  }
}

function isAlive(owner: Owner): boolean {
  if (owner.pid === process.pid && owner.started === startOf(process.pid)) return heldHere.has(owner.token)
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return startOf(owner.pid) === owner.started
}

function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
