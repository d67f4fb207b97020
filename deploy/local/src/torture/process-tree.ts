import { readdir, readFile } from 'node:fs/promises'

/** The process and all that descend from it, by /proc; only the process itself where there is no /proc. */
export async function treeOf(root: number): Promise<number[]> {
  const children = new Map<number, number[]>()
  for (const name of await readdir('/proc').catch(() => [])) {
    const pid = Number(name)
    const parent = Number.isInteger(pid) ? await parentOf(pid) : undefined
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid])
  }
  const found = [root]
  for (const pid of found) found.push(...(children.get(pid) ?? []))
  return found
}

/** Undefined for a process that has ended. */
async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  // The name is in parentheses and may hold anything: state and parent follow it.
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return state === 'Z' ? undefined : Number(parent)
}

/** Sends a signal, or with 0 none. @returns false when there is no such process any more */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
