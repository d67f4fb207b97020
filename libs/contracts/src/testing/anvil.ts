import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import getPort from 'get-port'
import { call } from '../deploy/rpc.ts'

export interface Anvil {
  rpcUrl: string
  stop(): Promise<void>
}

const ports = 5
const startMs = 10_000
const architectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' }

/** Path of a foundry binary; the npm command is a Node wrapper that would hide the process. */
export function foundryBinary(tool: 'anvil' | 'forge'): string {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const name = `@foundry-rs/${tool}-${process.platform}-${architectures[process.arch]}/bin/${tool}${suffix}`
  const require = createRequire(import.meta.url)
  return createRequire(require.resolve(`@foundry-rs/${tool}/package.json`)).resolve(name)
}

/**
 * Starts an anvil that mines on request, has no gas price and accepts transactions of any sender. Nothing of it stays on disk.
 */
export async function startAnvil(chainId: number): Promise<Anvil> {
  const home = mkdtempSync(join(tmpdir(), 'carapace-contracts-'))
  // Another process may occupy a free port before anvil does: then the next one is tried.
  for (let attempt = 1; ; attempt++) {
    const port = await getPort({ host: '127.0.0.1' })
    const rpcUrl = `http://127.0.0.1:${port}`
    const child = spawn(foundryBinary('anvil'), flags(port, chainId), { stdio: 'ignore', env: { HOME: home } })
    if (await answers(rpcUrl, child)) return { rpcUrl, stop: () => stop(child, home) }
    await kill(child)
    if (attempt === ports) throw new Error(`anvil did not start on ${ports} ports`)
  }
}

function flags(port: number, chainId: number): string[] {
  const words = `--host 127.0.0.1 --port ${port} --chain-id ${chainId} --quiet --no-mining --prune-history 50 --gas-price 0 --block-base-fee-per-gas 0 --disable-min-priority-fee --auto-impersonate --gas-limit 1000000000`
  return words.split(' ')
}

async function answers(rpcUrl: string, child: ChildProcess): Promise<boolean> {
  const endsAt = performance.now() + startMs
  while (child.exitCode === null && performance.now() < endsAt) {
    try {
      await call(rpcUrl, 'eth_chainId')
      return child.exitCode === null
    } catch {
      await sleep(10)
    }
  }
  return false
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function stop(child: ChildProcess, home: string): Promise<void> {
  await kill(child)
  rmSync(home, { recursive: true, force: true })
}
