import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Engine {
  uri: string
  pid(): number | undefined
  close(): Promise<void>
}

const program = fileURLToPath(import.meta.resolve('@carapace/embedded-mongo/main'))
const readyMs = 20_000
const restartPauseMs = 200
const handOverMs = 5_000

/**
 * The embedded database as a child process on a Unix socket in the data folder: it has no authentication, so nobody else on the
 * machine may reach it. When it dies alone it is started again on the same socket; clients reconnect by themselves.
 * @throws Error with the engine's own words, for instance when another engine holds the folder
 */
export async function startEngine(dataDir: string, onRestart: (why: string) => void): Promise<Engine> {
  const folder = path.join(dataDir, 'mongo')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const socket = path.resolve(dataDir, 'mongo.sock')
  let closing = false
  let { child, uri } = await launchPatiently(folder, socket)

  const watch = (watched: ChildProcess) =>
    watched.once('exit', (code, signal) => {
      if (closing) return
      onRestart(`the database ended (${signal ?? code}) and is started again`)
      setTimeout(() => void relaunch(), restartPauseMs)
    })
  const relaunch = async (): Promise<void> => {
    try {
      ;({ child, uri } = await launch(folder, socket))
      watch(child)
    } catch (error) {
      onRestart(`the database did not start: ${error instanceof Error ? error.message : String(error)}`)
      if (!closing) setTimeout(() => void relaunch(), 5 * restartPauseMs)
    }
  }
  watch(child)

  return {
    uri,
    pid: () => child.pid,
    close: async () => {
      closing = true
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** The engine of a start that was killed ends by itself, as soon as it sees that its parent has ended. */
async function launchPatiently(folder: string, socket: string): ReturnType<typeof launch> {
  const end = Date.now() + handOverMs
  for (;;) {
    try {
      return await launch(folder, socket)
    } catch (error) {
      if (!/in use by another engine/.test(String(error)) || Date.now() > end) throw error
    }
  }
}

async function launch(folder: string, socket: string): Promise<{ child: ChildProcess; uri: string }> {
  const child = spawn(process.execPath, [program, '--data', folder, '--socket', socket], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const complaints: string[] = []
  createInterface({ input: child.stderr! }).on('line', line => complaints.push(line))
  const uri = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`the database was not ready within ${readyMs / 1000} s`)), readyMs)
    createInterface({ input: child.stdout! }).on('line', line => {
      if (!line.startsWith('ready ')) return
      clearTimeout(late)
      // Directly, since drivers convert the addresses that a replica set announces to lower case, and this one is a path.
      resolve(`${line.slice('ready '.length)}?directConnection=true`)
    })
    child.once('exit', () => {
      clearTimeout(late)
      reject(new Error(complaints.join('; ') || 'the database ended immediately'))
    })
  })
  return { child, uri }
}
