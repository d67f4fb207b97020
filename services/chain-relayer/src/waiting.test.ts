import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { acquireBroker, acquireMongo, httpCall, startFaultProxy, startProgram, until } from '@carapace/testing'
import { laneKey } from './testing/keys.ts'
import { testDevnet } from './testing/kit.ts'

describe('the relayer as a process of its own, without its network', function () {
  this.timeout(240_000)
  const ends: (() => Promise<unknown>)[] = []
  const own = <T>(part: T, end: (part: T) => Promise<unknown>): T => {
    ends.push(() => end(part))
    return part
  }
  after(async () => {
    for (const end of ends.reverse()) await end()
  })

  it('lives, names it, and starts when the addresses of the contracts are written and the node answers', async () => {
    const folder = own(await mkdtemp(path.join(tmpdir(), 'carapace-relayer-')), one => rm(one, { recursive: true, force: true }))
    const broker = own(await acquireBroker(), one => one.stop())
    const mongo = own(await acquireMongo(), one => one.close())
    const devnet = own(await testDevnet(), one => one.close())
    const node = own(await startFaultProxy({ port: Number(new URL(devnet.rpcUrl).port) }), one => one.close())
    node.cut()
    const addresses = path.join(folder, 'addresses.json')
    const environment = {
      PORT: '0',
      INTERNAL_KEY: 'k'.repeat(32),
      MONGODB_URI: mongo.uri,
      DB_PREFIX: mongo.prefix,
      AMQP_URL: broker.url,
      BASE_SEPOLIA_RPC_URL: `http://127.0.0.1:${node.port}`,
      BASE_SEPOLIA_ADDRESSES: addresses,
      RELAYER_KEY_BASE_SEPOLIA: laneKey,
      CUSTODY_SEED_FILE: path.join(folder, 'custody.json'),
      CUSTODY_PASSPHRASE: 'a passphrase for tests',
    }
    const program = own(startProgram(fileURLToPath(new URL('main.js', import.meta.url)), environment), async ({ child }) => child.kill('SIGKILL'))
    const waitsFor = (reason: RegExp) =>
      until(`it waits for ${reason}`, () => program.lines.some(({ msg, reason: given }) => msg === 'the start waits' && reason.test(String(given))))

    await waitsFor(/ENOENT/)
    await writeFile(addresses, JSON.stringify({ addresses: devnet.addresses, startBlock: 0 }))
    await waitsFor(/RPC node/)
    node.pass()

    const { url } = await until('it is ready', () => program.lines.find(({ msg }) => msg === 'ready'))
    assert.deepEqual((await httpCall(String(url), 'GET', '/readyz')).body.checks, { mongodb: true, started: true, bus: true })
    assert.equal(await program.terminate(), 0)
  })
})
