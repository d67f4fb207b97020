import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'

export type Network = { chain: string; chainId: number; gasless: boolean }

/** A running anvil: `exited` settles when it ends, whoever ended it; `kill` is SIGKILL and waits for the end. */
export type Anvil = { pid: number; port: number; exited: Promise<void>; kill: () => Promise<void> }

const baseFlags = [
  ...['--host', '127.0.0.1', '--quiet', '--no-mining', '--prune-history', '50', '--transaction-block-keeper', '20000'],
  ...['--slots-in-an-epoch', '1', '--gas-limit', '60000000', '--hardfork', 'prague', '--no-request-size-limit'],
  ...['--mnemonic', 'test test test test test test test test test test test junk'],
]
const gaslessFlags = ['--gas-price', '0', '--block-base-fee-per-gas', '0', '--disable-min-priority-fee']

const binarySystem: Record<string, string> = { linux: 'linux', darwin: 'darwin', win32: 'win32' }
const binaryArch: Record<string, string> = { x64: 'amd64', arm64: 'arm64' }

/**
 * Spawns the platform's own anvil binary on a free loopback port and waits until it listens.
 * `lifetime: 'parent'` ties it to this process (throw-away networks); `'own'` lets it survive a kill -9 of this process, to be adopted.
 */
export async function spawnAnvil(network: Network, lifetime: 'parent' | 'own'): Promise<Anvil> {
  for (let tries = 1; ; tries++) {
    const port = await freePort()
    const flags = [...baseFlags, '--port', String(port), '--chain-id', String(network.chainId), ...(network.gasless ? gaslessFlags : [])]
    // An empty environment: nothing of the user's shell or foundry folder may steer or be touched by a devnet.
    const child = spawn(binaryPath(), flags, { env: { HOME: tmpdir() }, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
    const anvil = supervise(child, port, lifetime)
    const failure = await listening(child, port)
    if (!failure) return anvil
    await anvil.kill()
    if (tries === 3) throw new Error(`anvil for ${network.chain} did not start: ${failure}`)
  }
}

function supervise(child: ChildProcess, port: number, lifetime: 'parent' | 'own'): Anvil {
  const exited = new Promise<void>(resolve => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  child.unref()
  if (lifetime === 'parent' && child.pid) guard(child.pid, exited)
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exited
  }
  return { pid: child.pid ?? 0, port, exited, kill }
}

/** A throw-away anvil dies with us, also by kill -9: the guard's stdin closes when this process is gone. */
function guard(pid: number, exited: Promise<void>): void {
  if (process.platform === 'win32') return
  const watcher = spawn('/bin/sh', ['-c', `read _; kill -9 ${pid}`], { env: {}, stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  watcher.once('error', () => undefined)
  watcher.unref()
  const unref = watcher.stdin as unknown as { unref?: () => void }
  unref.unref?.()
  void exited.then(() => watcher.kill('SIGKILL'))
}

async function listening(child: ChildProcess, port: number): Promise<string | undefined> {
  let stderr = ''
  let failed: string | undefined
  child.stderr?.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-500)))
  child.once('error', error => (failed = error.message))
  child.once('close', () => (failed ??= stderr.trim() || 'it ended at once'))
  const deadline = Date.now() + 10_000
  while (failed === undefined && Date.now() < deadline) {
    if (await canConnect(port)) break
    await new Promise(resolve => setTimeout(resolve, 4))
  }
  const stderrHandle = child.stderr as unknown as { unref?: () => void } | null
  stderrHandle?.unref?.()
  return failed ?? (Date.now() < deadline ? undefined : 'no answer within 10 s')
}

export function canConnect(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
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
 * What tells a process from a later one with the same pid: its start time. Undefined when there is no such process
 * (or the system does not tell, as on Windows).
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
