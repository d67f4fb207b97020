import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { HDNodeWallet, keccak256 } from 'ethers'
import { type Devnet, type DevnetOptions, startDevnet } from '../devnet.ts'
import { processIdentity } from '../process.ts'

export const sender = HDNodeWallet.fromPhrase('test test test test test test test test test test test junk')
export const payee = '0x00000000000000000000000000000000000ca4a9'
export const base = { chain: 'BASE_SEPOLIA', chainId: 84532, gasless: false }
export const gasless = { chain: 'SKALE_TESTNET', chainId: 324705682, gasless: true }

export type RpcAnswer = { id?: unknown; result?: unknown; error?: { code: number; message: string } }

export async function request(url: string, method: string, params: unknown[] = []): Promise<RpcAnswer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return (await response.json()) as RpcAnswer
}

export async function call<T>(url: string, method: string, params: unknown[] = []): Promise<T> {
  const answer = await request(url, method, params)
  assert.equal(answer.error, undefined, `${method}: ${answer.error?.message}`)
  return answer.result as T
}

/** `count` signed payments of 1 wei from the first development account, nonces rising from `from`. */
export async function payments(count: number, from = 0): Promise<{ raw: string; hash: string }[]> {
  const fees = { type: 2, chainId: base.chainId, gasLimit: 21_000, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
  const raws = Array.from({ length: count }, (_, index) => sender.signTransaction({ ...fees, to: payee, value: 1n, nonce: from + index }))
  return (await Promise.all(raws)).map(raw => ({ raw, hash: keccak256(raw) }))
}

export async function until<T>(what: string, probe: () => Promise<T | undefined | false | null>, limitMs = 10_000): Promise<T> {
  const deadline = Date.now() + limitMs
  for (;;) {
    const seen = await probe()
    if (seen) return seen
    if (Date.now() > deadline) throw new Error(`waited ${limitMs} ms in vain: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

export function receipt(url: string, hash: string): Promise<{ blockHash: string; status: string }> {
  return until(`receipt of ${hash}`, () => call<{ blockHash: string; status: string } | null>(url, 'eth_getTransactionReceipt', [hash]))
}

export async function send(url: string, raw: string): Promise<string> {
  return call<string>(url, 'eth_sendRawTransaction', [raw])
}

/** What a test opens is closed and removed after it, also when it failed. */
export function cleanups(): { add: (cleanup: () => unknown) => void; run: () => Promise<void> } {
  let opened: (() => unknown)[] = []
  return {
    add: cleanup => opened.push(cleanup),
    run: async () => {
      for (const cleanup of opened.reverse()) await cleanup()
      opened = []
    },
  }
}

export async function freshFolder(add: (cleanup: () => unknown) => void): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'carapace-devnet-'))
  add(() => rm(dir, { recursive: true, force: true }))
  return dir
}

type Options = Partial<DevnetOptions<unknown>>

export async function open(add: (cleanup: () => unknown) => void, options: Options = {}): Promise<Devnet<unknown>> {
  const fast = { debounceMs: 2, heartbeatMs: 200 }
  const devnet = await startDevnet({ network: base, port: 0, mining: fast, deploy: async () => ({}), ...options })
  add(() => devnet.close())
  return devnet
}

export type Supervisor = { rpcUrl: string; wsUrl: string; anvilPid: number; child: ChildProcess; ended: Promise<number | null> }

/** Starts a supervisor as its own process. After the test it is killed together with the anvil it had last. */
export async function startSupervisor(add: (cleanup: () => unknown) => void, dataDir?: string): Promise<Supervisor> {
  const program = fileURLToPath(new URL('./run-devnet.js', import.meta.url))
  const child = spawn(process.execPath, [program, ...(dataDir ? [dataDir] : [])], { stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const ended = new Promise<number | null>(resolve => child.once('close', code => resolve(code)))
  const lines = createInterface({ input: child.stdout })
  const first = new Promise<string>(resolve => lines.once('line', resolve))
  const line = await Promise.race([first, ended.then(() => Promise.reject(new Error(errors)))])
  const supervisor = { ...(JSON.parse(line) as { rpcUrl: string; wsUrl: string; anvilPid: number }), child, ended }
  const identity = processIdentity(supervisor.anvilPid)
  add(async () => {
    child.kill('SIGKILL')
    await ended
    if (identity && processIdentity(supervisor.anvilPid) === identity) process.kill(supervisor.anvilPid, 'SIGKILL')
  })
  return supervisor
}

export function hasEnded(pid: number): boolean {
  return processIdentity(pid) === undefined
}
