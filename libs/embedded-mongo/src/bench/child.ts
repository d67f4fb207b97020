import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

const ticksPerSecond = 100

/** A server in its own process, so that its CPU time is measured apart from the client's. */
export interface Child {
  uri: string
  /** CPU seconds used so far, user and system. */
  cpuSeconds(): number
  /** Resident memory: all of it, and without the pages of mapped files, which the system reclaims when it needs them. */
  rssBytes(): { all: number; own: number }
  kill(): Promise<void>
  stop(): Promise<void>
}

/** Starts a program of this package and waits for its ready line. */
export async function spawnServer(script: URL, args: readonly string[]): Promise<Child> {
  const child = spawn(process.execPath, [script.pathname, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const uri = await readyLine(child)
  const exited = once(child, 'exit')
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await exited
  }
  return {
    uri,
    cpuSeconds: () => cpuOf(child.pid!),
    rssBytes: () => ({ all: memoryOf(child.pid!, 'VmRSS'), own: memoryOf(child.pid!, 'RssAnon') }),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}

async function readyLine(child: ChildProcess): Promise<string> {
  let text = ''
  for await (const chunk of child.stdout!) {
    text += String(chunk)
    const uri = /^ready (\S+)$/m.exec(text)?.[1]
    if (uri) {
      child.stdout!.resume()
      return uri
    }
  }
  throw new Error(`the server ended before it was ready: ${text}`)
}

/** CPU seconds of a process, user and system. Linux only; elsewhere the bench shows no CPU figures. */
export function cpuOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
  } catch {
    return Number.NaN
  }
}

function memoryOf(pid: number, field: 'VmRSS' | 'RssAnon'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024
}
