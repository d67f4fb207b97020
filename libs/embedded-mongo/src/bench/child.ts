import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

const ticksPerSecond = 100

/** A server in a process of its own, so that its CPU time can be told from the client's. */
export interface Child {
  uri: string
  /** CPU seconds used so far, user and system. */
  cpuSeconds(): number
  rssBytes(): number
  kill(): Promise<void>
  stop(): Promise<void>
}

/** Starts a program of this package and waits for its ready line. */
export async function spawnServer(script: URL, args: readonly string[]): Promise<Child> {
  const child = spawn(process.execPath, [script.pathname, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const uri = await readyLine(child)
  const gone = once(child, 'exit')
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await gone
  }
  return {
    uri,
    cpuSeconds: () => cpuOf(child.pid!),
    rssBytes: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))?.[1] ?? 0) * 1024,
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

/** Linux only; elsewhere the bench shows no CPU figures. */
function cpuOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
  } catch {
    return Number.NaN
  }
}
