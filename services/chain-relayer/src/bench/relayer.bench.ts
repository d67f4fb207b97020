import { randomBytes, randomUUID } from 'node:crypto'
import { type CloudEvent, chainOutcome } from '@carapace/api'
import { inProcessBus, quiet } from '@carapace/bus'
import { type Addresses, type Command, commandOf, commands, contractInterface } from '@carapace/chain'
import { openDatabase } from '@carapace/store'
import { cpuSeconds, median, published, quantile, reportFigure, residentMb, until } from '@carapace/testing'
import { Wallet } from 'ethers'
import { openCollections } from '../lane/collections.ts'
import { defaultTimings } from '../lane/timings.ts'
import { runLane } from '../leader.ts'
import { openRpc } from '../rpc/open.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { laneAddress, laneKey } from '../testing/keys.ts'
import { connected, laneParts } from '../testing/kit.ts'
import { fundTokens } from '../testing/workload.ts'
import { startChild } from './start-child.ts'

const chainId = 84532
const count = Number(process.env.BENCH_OPS ?? 3_000)
/** Each measures the three sides in alternation. */
const rounds = 3
const token = contractInterface('USDC')
const receivers = Array.from({ length: 200 }, (_, index) => `0x${(index + 1).toString(16).padStart(40, 'b')}`)

/** The same transfer for both sides: `faucet.mint` without its guard becomes a plain ERC-20 transfer. */
const transfer: Command = {
  ...(commandOf('faucet.mint') as Command),
  gas: 50_000n,
  batchable: true,
  call: args => ({ contract: 'USDC', fn: 'transfer', args: [args.to, args.amount] }),
}
delete (transfer as Partial<Command>).effect

const devnet = await startChild<{ anvilUrl: string; addresses: Addresses; pid: number }>('devnet')
const mongo = await startChild<{ uri: string }>('mongo')
const rpc = openRpc({ url: devnet.anvilUrl, timeoutMs: 60_000 })
await connected(rpc)
await rpc.call('anvil_setBalance', [laneAddress, '0x3635c9adc5dea00000'])
await fundTokens(rpc, devnet.addresses)

/** Signed before the clock starts; ordered batches of 50, one in flight, until the last receipt is there. */
async function raw(total: number): Promise<number> {
  const wallet = Wallet.createRandom()
  await rpc.call('anvil_setBalance', [wallet.address, '0x3635c9adc5dea00000'])
  await fund(wallet.address)
  const signed: string[] = []
  for (let nonce = 0; nonce < total; nonce++) {
    const data = token.encodeFunctionData('transfer', [receivers[nonce % receivers.length], 1n])
    signed.push(
      await wallet.signTransaction({
        type: 2,
        chainId,
        nonce,
        to: devnet.addresses.USDC,
        data,
        gasLimit: 65_000n,
        maxFeePerGas: 10n ** 11n,
        maxPriorityFeePerGas: 10n ** 8n,
      }),
    )
  }
  const began = performance.now()
  for (let at = 0; at < signed.length; at += 50)
    await rpc.batch(signed.slice(at, at + 50).map(bytes => ({ method: 'eth_sendRawTransaction', params: [bytes] })))
  await until('mined', async () => Number(await rpc.call('eth_getTransactionCount', [wallet.address, 'latest'])) === total, 60)
  return total / ((performance.now() - began) / 1_000)
}

async function fund(address: string): Promise<void> {
  const nonce = Number(await rpc.call('eth_getTransactionCount', [laneAddress, 'latest']))
  const data = token.encodeFunctionData('mint', [address, 10n ** 12n])
  const bytes = await new Wallet(laneKey).signTransaction({
    type: 0,
    chainId,
    nonce,
    to: devnet.addresses.USDC,
    data,
    gasLimit: 200_000n,
    gasPrice: 10n ** 10n,
  })
  await rpc.call('eth_sendRawTransaction', [bytes])
  await until('funded', async () => Number(await rpc.call('eth_getTransactionCount', [laneAddress, 'latest'])) > nonce)
}

interface Side {
  perSecond: number
  latencies: number[]
  transactions: number
  /** Microseconds of CPU per operation: relayer, database, anvil. */
  cpu: readonly [number, number, number]
}

/** What a service listens to that only wants to know how its commands end. */
const { confirmed, failed } = chainOutcome('faucet.mint')
/** Commands of one publish, as a service's outbox claims them. */
const page = 100

/** Commands through the bus, everything stored, until the last confirmed event. */
async function relayed(total: number, batchSize: number, paceMs = 0): Promise<Side> {
  const database = await openDatabase({ uri: mongo.uri, name: `bench_${randomBytes(4).toString('hex')}` })
  const db = await openCollections(database)
  const bus = inProcessBus({ log: quiet })
  const laneRpc: Rpc = openRpc({ url: devnet.anvilUrl, timeoutMs: 30_000 })
  await connected(laneRpc)
  const sentAt = new Map<string, number>()
  const latencies: number[] = []
  await bus.subscribe({ name: 'bench', exchange: 'events', bindings: [confirmed.type, failed.type], prefetch: 10_000 }, async (event: CloudEvent) => {
    const began = sentAt.get(event.subject)
    if (event.type === failed.type) throw new Error(JSON.stringify(event.data))
    if (event.type !== confirmed.type || began === undefined) return
    sentAt.delete(event.subject)
    latencies.push(performance.now() - began)
  })
  // The lane begins here: the blocks of the other side's runs are not its business.
  const startBlock = Number(await rpc.call('eth_blockNumber', [])) + 1
  const commandTable = (kind: string) => (kind === 'faucet.mint' ? transfer : commandOf(kind))
  const parts = await laneParts(
    { chain: 'BASE_SEPOLIA', devnet: { wsUrl: devnet.anvilUrl, addresses: devnet.addresses }, db, bus, rpc: laneRpc },
    { batchSize, startBlock, commandOf: commandTable, timings: defaultTimings, log: { ...console, info: () => {} } },
  )
  const lane = runLane({ ...parts, network: { ...parts.network, blockMs: 1_000, stuckMs: 5_000 } }, bus)
  await until('the lane leads', () => lane.current()?.queue.size === 0 && lane.current()?.slots.openCount === 0)
  const drafts = Array.from({ length: total }, (_, index) =>
    commands.faucetMint({ chain: 'BASE_SEPOLIA', requestId: randomUUID(), to: receivers[index % receivers.length]!, amount: 1n }),
  )
  const pids = [process.pid, mongo.pid, devnet.pid]
  const cpuBefore = pids.map(cpuSeconds)
  const began = performance.now()
  const sends: Promise<void>[] = []
  const pageSize = paceMs ? 1 : page
  for (let at = 0; at < drafts.length; at += pageSize) {
    const sent = drafts.slice(at, at + pageSize)
    for (const draft of sent) sentAt.set(draft.subject, performance.now())
    sends.push(bus.publish(sent.map(draft => published(draft))))
    if (paceMs) await new Promise(resolve => setTimeout(resolve, paceMs))
  }
  await Promise.all(sends)
  await until('confirmed', () => latencies.length === total, 120)
  const seconds = (performance.now() - began) / 1_000
  const used = pids.map((pid, index) => Math.round(((cpuSeconds(pid) - cpuBefore[index]!) * 1e6) / total)) as unknown as Side['cpu']
  const transactions = await db.txs.countDocuments({ nonce: { $ne: null } })
  const nonces = (
    await db.txs
      .find({ nonce: { $ne: null } }, { projection: { nonce: 1 } })
      .sort({ nonce: 1 })
      .toArray()
  ).map(tx => Number(tx.nonce))
  if (nonces.some((nonce, index) => index > 0 && nonce !== nonces[index - 1]! + 1)) throw new Error('a nonce is missing')
  await lane.close()
  await Promise.all([laneRpc.close(), bus.close(), database.close()])
  return { perSecond: total / seconds, latencies, transactions, cpu: used }
}

const line = (name: string, value: string) => console.log(`${name.padEnd(46)} ${value}`)
try {
  await raw(500)
  const sides: { ceiling: number; unbatched: Side; batched: Side }[] = []
  for (let round = 0; round < rounds; round++)
    sides.push({ ceiling: await raw(count), unbatched: await relayed(count, 1), batched: await relayed(count, 50) })
  const single = await relayed(100, 50, 20)
  const ratios = (of: 'unbatched' | 'batched') => sides.map(side => side[of].perSecond / side.ceiling)
  const rate = (of: 'unbatched' | 'batched') => median(sides.map(side => side[of].perSecond)).toFixed(0)
  const { unbatched, batched } = sides.at(-1)!
  line('pre-signed raw transactions, per second', sides.map(({ ceiling }) => ceiling.toFixed(0)).join(', '))
  line('one transaction per operation, per second', `${rate('unbatched')} = ${median(ratios('unbatched')).toFixed(2)} (wanted 0.50)`)
  line(
    'batched operations, per second',
    `${rate('batched')} = ${median(ratios('batched')).toFixed(2)} (wanted 1.00), ${batched.transactions} transactions`,
  )
  line('CPU µs an operation: relayer, database, anvil', `${unbatched.cpu.join(', ')}; batched ${batched.cpu.join(', ')}`)
  line(
    'command to confirmed event, paced, ms',
    `p50 ${quantile(single.latencies, 0.5).toFixed(0)}, p95 ${quantile(single.latencies, 0.95).toFixed(0)}`,
  )
  line('the same under full load, ms', `p50 ${quantile(unbatched.latencies, 0.5).toFixed(0)}, p95 ${quantile(unbatched.latencies, 0.95).toFixed(0)}`)
  reportFigure('relayer.unbatched', ratios('unbatched'))
  reportFigure('relayer.batched', ratios('batched'))
  line('memory, MB: anvil; relayer', `${residentMb(devnet.pid)}; ${Math.round(process.memoryUsage().rss / 1_048_576)}`)
} finally {
  await rpc.close()
  await Promise.all([devnet.close(), mongo.close()])
}
