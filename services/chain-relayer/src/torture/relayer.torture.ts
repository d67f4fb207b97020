import { type FaultyNode, seeded, startFaultyNode, until } from '@carapace/testing'
import { type FailPoint, failPoints } from '../lane/lane.ts'
import { defaultTimings } from '../lane/timings.ts'
import { laneAddress } from '../testing/keys.ts'
import { type Kit, startKit } from '../testing/kit.ts'
import { type LaneHost, laneHost } from '../testing/lane-host.ts'
import { allOver, assertExactlyOnce, fundTokens, makeWork, sendForeign, type Work } from '../testing/workload.ts'

/** Long rounds of the failure tests: `npm run torture:relayer [seed]`. 500 operations in flight at each kill point, 30 s outages, random faults. */
const seed = Number(process.argv[2] ?? 1)
const inFlight = Number(process.env.TORTURE_OPS ?? 500)
const outageMs = Number(process.env.TORTURE_OUTAGE_MS ?? 30_000)
const random = seeded(seed)
/** Leases as in production: a busy machine must not be mistaken for a lost leader. */
const timings = { leaseTtlMs: defaultTimings.leaseTtlMs, leaseTrustMs: defaultTimings.leaseTrustMs }
/** Long, for a machine that is busy. */
const patienceSeconds = 240
const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

interface Round {
  kit: Kit
  host: LaneHost
  door: FaultyNode
}

async function round(name: string, run: (parts: Round) => Promise<{ work: readonly Work[]; note?: string }>): Promise<boolean> {
  const kit = await startKit()
  await fundTokens(kit.rpc, kit.devnet.addresses)
  const door = await startFaultyNode(kit.devnet.wsUrl, random)
  const host = laneHost(kit, kit.place)
  const began = performance.now()
  try {
    const { work, note = '' } = await run({ kit, host, door })
    await allOver(kit, work, patienceSeconds)
    await assertExactlyOnce(kit, work)
    console.log(`ok    ${name}: ${work.length} operations, ${((performance.now() - began) / 1_000).toFixed(1)} s ${note}`)
    return true
  } catch (error) {
    console.log(`FAILED ${name}: ${(error as Error).message}`)
    return false
  } finally {
    await host.close()
    await door.close()
    await kit.close()
  }
}

async function killedAt(at: FailPoint): Promise<boolean> {
  return round(`killed ${at}`, async ({ host }) => {
    const work = makeWork(inFlight)
    const victim = await host.start({ die: { at, hit: 2 + Math.floor(random() * 4) }, batchSize: 10, timings })
    host.send(work.map(one => one.draft))
    const late = setTimeout(() => victim.kill('SIGKILL'), 5_000)
    await victim.ended
    clearTimeout(late)
    await host.start({ batchSize: 10, timings })
    return { work }
  })
}

const outage = () =>
  round(`no node for ${outageMs / 1_000} s`, async ({ kit, host, door }) => {
    const work = makeWork(inFlight)
    await host.start({ wsUrl: door.url, batchSize: 10, timings })
    await until('the lane listens', () => host.listening, patienceSeconds)
    host.send(work.slice(0, inFlight / 2).map(one => one.draft))
    await sleep(100)
    door.faults.down = true
    await sleep(outageMs / 2)
    host.send(work.slice(inFlight / 2).map(one => one.draft))
    await sleep(outageMs / 2)
    door.faults.down = false
    await allOver(kit, work, patienceSeconds)
    const tried = await kit.db.ops.countDocuments({ attempts: { $gt: 0 } })
    return { work, note: `tries spent: ${tried}` }
  })

/** Random operations and random faults; the model is the set of keys. */
const chaos = () =>
  round(`random faults, seed ${seed}`, async ({ kit, host, door }) => {
    const work = makeWork(inFlight)
    let lane = await host.start({ wsUrl: door.url, batchSize: 10, timings })
    let sent = 0
    const notes: string[] = []
    const faults: Record<string, () => Promise<void>> = {
      outage: async () => {
        door.faults.down = true
        await sleep(200 + random() * 800)
        door.faults.down = false
      },
      lostAnswers: async () => {
        door.faults.muteSends = true
        await sleep(200 + random() * 400)
        door.faults.muteSends = false
      },
      swallow: async () => {
        door.faults.swallow = 0.1
        await sleep(300)
        door.faults.swallow = 0
      },
      reversed: async () => {
        door.faults.reverse = true
        await sleep(300)
        door.faults.reverse = false
      },
      kill: async () => {
        lane.kill('SIGKILL')
        await lane.ended
        lane = await host.start({ wsUrl: door.url, batchSize: 10, timings })
      },
      reorganise: async () => {
        await kit.rpc.call('anvil_reorg', [1 + Math.floor(random() * 3), []])
      },
      foreign: async () => {
        await sendForeign(kit.rpc, {
          to: laneAddress,
          gasPrice: 10n ** 12n,
          nonce: Number(await kit.rpc.call('eth_getTransactionCount', [laneAddress, 'latest'])),
        })
      },
      again: async () =>
        host.send(
          work
            .slice(0, sent)
            .slice(-20)
            .map(one => one.draft),
        ),
    }
    const names = Object.keys(faults)
    while (sent < work.length) {
      const next = Math.min(work.length, sent + 5 + Math.floor(random() * 30))
      host.send(work.slice(sent, next).map(one => one.draft))
      sent = next
      if (random() < 0.6) {
        const name = names[Math.floor(random() * names.length)]!
        notes.push(name)
        await faults[name]!().catch(() => undefined)
      } else await sleep(50)
    }
    await until('all handled', () => host.unhandled === 0, patienceSeconds)
    return { work, note: notes.join(' ') }
  })

const results: boolean[] = []
for (const at of failPoints) results.push(await killedAt(at))
results.push(await outage(), await chaos())
process.exit(results.every(Boolean) ? 0 : 1)
