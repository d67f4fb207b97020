import type { Journal } from './journal.ts'
import { refusalOf, type Treatment, treatmentOf } from './methods.ts'
import { latestBlock, type Recorder } from './recorder.ts'
import { RpcError, type Upstream } from './upstream.ts'

/** The chain as the door and the miner use it: calls that change it by more than a transaction run one at a time. */
export type Chain = {
  /** Settles when anvil serves; throws RpcError when it does not come back in time. */
  ready: () => Promise<void>
  port: () => number
  /** Journals signed transactions before they are forwarded. */
  record: (raws: { hash: string; raw: string }[]) => Promise<void>
  /** Receives the hashes of transactions that anvil answered with an error. */
  refused: (hashes: string[]) => void
  /** Runs any method but subscriptions. Throws RpcError with what the caller may see. */
  handle: (method: string, params: unknown) => Promise<unknown>
  mine: () => Promise<{ included: number; left: number }>
  /** Runs `work` while no block is made and no call runs. */
  alone: <T>(work: () => Promise<T>) => Promise<T>
}

export type ChainParts = {
  isGasless: boolean
  ready: () => Promise<void>
  port: () => number
  upstream: () => Upstream
  /** Absent on a throw-away network, which records nothing. */
  records?: { recorder: Recorder; journal: Journal; dump: () => Promise<void> } | undefined
  onError: (error: Error) => void
}

const maxBlocksPerCall = 1000
const mineTimeoutMs = 60_000

export function createChain({ isGasless, ready, port, upstream, records, onError }: ChainParts): Chain {
  let last: Promise<unknown> = Promise.resolve()
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(ready).then(work)
    last = done.catch(() => undefined)
    return done
  }

  const clockOffset = () => upstream().request<number>('evm_increaseTime', [0])
  const settleBlocks = async () => {
    if (records && !(await records.recorder.blocks(upstream()))) await records.dump()
  }
  const mine = () =>
    alone(async () => {
      await upstream().request('evm_mine', [], mineTimeoutMs)
      await settleBlocks()
      const [block, pool] = await Promise.all([latestBlock(upstream()), upstream().request<{ pending: string }>('txpool_status')])
      return { included: block.transactions.length, left: Number(pool.pending) }
    })

  const journaled = async (method: string, params: unknown, offsetSec?: number) => {
    await records?.journal.append({ kind: 'call', method, params, ...(offsetSec === undefined ? {} : { offsetSec }) })
    const outcome = await upstream()
      .request(method, params)
      .catch((error: Error) => (error instanceof RpcError ? error : Promise.reject(error)))
    const ok = !(outcome instanceof RpcError)
    await records?.journal.append({ kind: 'done', ok })
    if (!ok) throw outcome
    return outcome
  }
  const handlers: Record<Treatment, (method: string, params: unknown) => Promise<unknown>> = {
    pass: (method, params) => upstream().request(method, params),
    raw: async (method, params) => upstream().request(method, params),
    call: (method, params) => alone(() => journaled(method, params)),
    clock: (method, params) =>
      alone(async () => {
        const offsetSec = await clockOffset()
        return journaled(method, params, newOffset(method, secondsIn(params), offsetSec))
      }),
    mine: (method, params) => {
      if (blocksIn(method, params) > maxBlocksPerCall) throw new RpcError(-32602, `at most ${maxBlocksPerCall} blocks in one call`)
      return alone(async () => {
        const answer = await upstream().request(method, params, mineTimeoutMs)
        await settleBlocks()
        return answer
      })
    },
    drop: (method, params) =>
      alone(async () => {
        const before = await poolHashes(upstream())
        const answer = await upstream().request(method, params)
        const after = new Set(await poolHashes(upstream()))
        await records?.recorder.drop(before.filter(hash => !after.has(hash)))
        return answer
      }),
    rewrite: (method, params) =>
      alone(async () => {
        const offsetSec = await clockOffset()
        const answer = await upstream().request(method, params, mineTimeoutMs)
        // anvil has set its clock back to the block that is the last one now; a network that reorganises goes on at the same time
        const lostSec = offsetSec - (await clockOffset())
        if (lostSec > 0) await upstream().request('evm_increaseTime', [lostSec])
        await records?.dump()
        return answer
      }),
    whole: (method, params) => alone(() => upstream().request(method, params, mineTimeoutMs)),
    // anvil names 1 gwei although nothing is to be paid: clients would then refuse to send without money
    tip: async (method, params) => (isGasless ? '0x0' : upstream().request(method, params)),
    refuse: async method => {
      throw new RpcError(-32601, refusalOf(method))
    },
  }
  const refused = async (hashes: string[]) => {
    // An error also answers a rebroadcast of what the pool or a block already has: only what anvil does not know is forgotten.
    const found = await upstream().batch(hashes.map(hash => ({ method: 'eth_getTransactionByHash', params: [hash] })))
    await records?.recorder.drop(hashes.filter((_, index) => found[index] === null))
  }
  return {
    ready,
    port,
    record: async raws => records?.recorder.transactions(raws),
    refused: hashes => void (records && refused(hashes).catch(onError)),
    handle: async (method, params) => {
      await ready()
      return await handlers[treatmentOf(method)](method, params)
    },
    mine,
    alone,
  }
}

async function poolHashes(upstream: Upstream): Promise<string[]> {
  type Pool = Record<string, Record<string, { hash: string }>>
  const { pending, queued } = await upstream.request<{ pending: Pool; queued: Pool }>('txpool_content')
  return [pending, queued].flatMap(pool => Object.values(pool)).flatMap(byNonce => Object.values(byNonce).map(({ hash }) => hash))
}

/** Offset of the chain's clock to the wall clock after the call, in seconds. */
function newOffset(method: string, seconds: number, offsetSec: number): number {
  return method.endsWith('increaseTime') ? offsetSec + seconds : seconds - Math.floor(Date.now() / 1000)
}

function secondsIn(params: unknown): number {
  const seconds = toNumber(Array.isArray(params) ? params[0] : undefined)
  if (!Number.isSafeInteger(seconds)) throw new RpcError(-32602, 'the first parameter must be a number of seconds')
  return seconds
}

function blocksIn(method: string, params: unknown): number {
  const first: unknown = Array.isArray(params) ? params[0] : undefined
  if (method.startsWith('evm_')) return toNumber(isRecord(first) ? (first.blocks ?? 1) : 1)
  return toNumber(first ?? 1)
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function toNumber(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
}
