import { type ChildProcess, execFileSync, type StdioOptions, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import getPort from 'get-port'

export type Network = { chain: string; chainId: number; gasless: boolean }

/**
 * A running anvil: `exited` settles when it ends, for any reason; `kill` is SIGKILL and waits for the end. It ends with this process, also by
 * kill -9, until `outlive` is called.
 */
export type Anvil = { pid: number; port: number; exited: Promise<void>; kill: () => Promise<void>; outlive: () => void }

const baseFlags = [
  ...['--host', '127.0.0.1', '--quiet', '--no-mining', '--prune-history', '50', '--transaction-block-keeper', '20000'],
  ...['--slots-in-an-epoch', '1', '--gas-limit', '60000000', '--hardfork', 'prague', '--no-request-size-limit'],
  ...['--mnemonic', 'test test test test test test test test test test test junk'],
]
const gaslessFlags = ['--gas-price', '0', '--block-base-fee-per-gas', '0', '--disable-min-priority-fee']

const maxTries = 5

const binarySystem: Record<string, string> = { linux: 'linux', darwin: 'darwin', win32: 'win32' }
const binaryArch: Record<string, string> = { x64: 'amd64', arm64: 'arm64' }

/** Spawns the platform's own anvil binary on a free loopback port and waits until it listens. Its working files are in `dir`, and are removed with it. */
export async function spawnAnvil(network: Network, dir: string, genesisSec: number): Promise<Anvil> {
  const started = join(dir, 'started.json')
  for (let tries = 1; ; tries++) {
    await rm(started, { force: true })
    const port = await getPort({ host: '127.0.0.1' })
    const own = ['--port', port, '--chain-id', network.chainId, '--timestamp', genesisSec, '--config-out', started].map(String)
    const flags = [...baseFlags, ...own, ...(network.gasless ? gaslessFlags : [])]
    // An empty environment: nothing of the user's shell or foundry folder may steer or be touched by a devnet.
    const options = { env: { HOME: dir }, stdio: ['ignore', 'ignore', 'pipe'] satisfies StdioOptions, detached: true }
    const child = spawn(binaryPath(), flags, options)
    const anvil = supervise(child, port)
    const failure = await listening(child, started)
    await rm(started, { force: true })
    if (!failure) return anvil
    await anvil.kill()
    if (tries === maxTries) throw new Error(`anvil for ${network.chain} did not start: ${failure}`)
  }
}

function supervise(child: ChildProcess, port: number): Anvil {
  const exited = new Promise<void>(resolve => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const outlive = child.pid ? guard(child.pid) : () => undefined
  void exited.then(outlive)
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exited
  }
  return { pid: child.pid ?? 0, port, exited, kill, outlive }
}

/** Ends anvil when this process has ended: then the guard's stdin closes. Returns what calls the guard off. */
function guard(pid: number): () => void {
  if (process.platform === 'win32') return () => undefined
  const watcher = spawn('/bin/sh', ['-c', `read _; kill -9 ${pid}`], { env: {}, stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  watcher.once('error', () => undefined)
  watcher.unref()
  return () => void watcher.kill('SIGKILL')
}

/**
 * Waits for the file that anvil writes once it has bound its port. (That the port answers proves nothing: another process may have bound it
 * since it was found free.) Answers why it failed.
 */
async function listening(child: ChildProcess, started: string): Promise<string | undefined> {
  let stderr = ''
  let failed: string | undefined
  child.stderr?.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-500)))
  child.once('error', error => (failed = error.message))
  child.once('close', () => (failed ??= stderr.trim() || 'it ended immediately'))
  const deadline = Date.now() + 10_000
  while (failed === undefined && Date.now() < deadline) {
    if (existsSync(started)) return undefined
    await new Promise(resolve => setTimeout(resolve, 4))
  }
  return failed ?? 'it did not listen within 10 s'
}

function binaryPath(): string {
  const system = binarySystem[process.platform]
  const arch = binaryArch[process.arch]
  if (!system || !arch) throw new Error(`no anvil binary for ${process.platform} ${process.arch}`)
  // The platform package is a dependency of @foundry-rs/anvil, so it is resolved from there.
  const fromAnvil = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'))
  return fromAnvil.resolve(`@foundry-rs/anvil-${system}-${arch}/bin/anvil${system === 'win32' ? '.exe' : ''}`)
}

/**
 * What distinguishes a process from a later one with the same pid: its start time. Undefined when there is no such process
 * (or the system does not report it, as on Windows).
 */
export function processIdentity(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return fields[0] === 'Z' ? undefined : fields[19]
    }
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
  } catch {
    return undefined
  }
}
