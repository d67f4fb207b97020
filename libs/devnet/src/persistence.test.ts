import assert from 'node:assert/strict'
import { appendFile, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Wallet } from 'ethers'
import { base, call, cleanups, freshFolder, gasless, open, payee, payments, receipt, request, send, sender, until } from './test/support.ts'

describe('a devnet that is stored in a folder', () => {
  const after = cleanups()
  afterEach(after.run)

  const blockHashes = async (url: string) => {
    const count = Number(await call<string>(url, 'eth_blockNumber')) + 1
    const blocks = Array.from({ length: count }, (_, number) =>
      call<{ hash: string }>(url, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false]),
    )
    return (await Promise.all(blocks)).map(({ hash }) => hash)
  }
  const still = { debounceMs: 2, heartbeatMs: 0 }
  const payAll = async (url: string, count: number, from = 0) => {
    const sent = await payments(count, from)
    for (const { raw } of sent) await send(url, raw)
    await receipt(url, sent.at(-1)!.hash)
    return sent
  }
  const killAnvil = async (devnet: { pid: number; rpcUrl: string }) => {
    const { pid } = devnet
    process.kill(pid, 'SIGKILL')
    await until('a new anvil', async () => devnet.pid !== pid && (await request(devnet.rpcUrl, 'eth_chainId')).result)
  }
  const files = async (dir: string, kind: string) => (await readdir(dir)).filter(name => name.startsWith(kind)).sort()

  it("has users' own transactions, blocks and addresses again after a restart", async () => {
    const dataDir = await freshFolder(after.add)
    const first = await open(after.add, { dataDir, mining: still, deploy: async rpc => ({ genesis: await rpc('eth_blockNumber') }) })
    const sent = await payAll(first.rpcUrl, 20)
    const hashes = await blockHashes(first.rpcUrl)
    await first.close()

    const second = await open(after.add, { dataDir, mining: still, deploy: () => Promise.reject(new Error('deployed twice')) })

    assert.deepEqual((await blockHashes(second.rpcUrl)).slice(0, hashes.length), hashes)
    assert.deepEqual(second.addresses, { genesis: '0x0' })
    for (const { hash } of sent) assert.equal((await receipt(second.rpcUrl, hash)).status, '0x1')
    await payAll(second.rpcUrl, 1, 20)
  })

  it('reproduces block hashes from the journal, for any mix of senders and fees in a block', async () => {
    const dataDir = await freshFolder(after.add)
    const devnet = await open(after.add, { dataDir, mining: { debounceMs: 30, heartbeatMs: 0 } })
    const wallets = Array.from({ length: 4 }, () => Wallet.createRandom())
    for (const { address } of wallets) await call(devnet.rpcUrl, 'anvil_setBalance', [address, '0xde0b6b3a7640000'])
    for (let round = 0; round < 6; round++) {
      const signed = wallets.map((wallet, index) => {
        const price = BigInt(2 + ((index * 7 + round * 3) % 5)) * 1_000_000_000n
        return wallet.signTransaction({ type: 0, chainId: base.chainId, nonce: round, gasLimit: 21_000, gasPrice: price, to: payee, value: 1 })
      })
      for (const raw of await Promise.all(signed)) await send(devnet.rpcUrl, raw)
    }
    await until('all mined', async () => (await call<string>(devnet.rpcUrl, 'eth_getBalance', [payee, 'latest'])) === '0x18')
    await devnet.advanceTime(1000)
    await call(devnet.rpcUrl, 'anvil_mine', ['0x5'])
    const hashes = await blockHashes(devnet.rpcUrl)

    await killAnvil(devnet)

    assert.deepEqual((await blockHashes(devnet.rpcUrl)).slice(0, hashes.length), hashes)
  })

  it('preserves its clock over a restart and over the death of anvil', async () => {
    const dataDir = await freshFolder(after.add)
    const ahead = async (url: string) => {
      await call(url, 'evm_mine')
      const block = await call<{ timestamp: string }>(url, 'eth_getBlockByNumber', ['latest', false])
      return Math.round((Number(block.timestamp) - Date.now() / 1000) / 100) * 100
    }
    const first = await open(after.add, { dataDir })
    await first.advanceTime(5000)
    await first.close()

    const second = await open(after.add, { dataDir })
    assert.equal(await ahead(second.rpcUrl), 5000)
    await second.advanceTime(3000)
    await killAnvil(second)
    assert.equal(await ahead(second.rpcUrl), 8000)
    await call(second.rpcUrl, 'evm_setTime', [Math.floor(Date.now() / 1000) + 20_000])
    await killAnvil(second)
    assert.equal(await ahead(second.rpcUrl), 20_000)
  })

  it('preserves its genesis block over restarts', async () => {
    const dataDir = await freshFolder(after.add)
    const seen = new Set<string>()
    for (let start = 0; start < 3; start++) {
      const devnet = await open(after.add, { dataDir })
      const [genesis] = await blockHashes(devnet.rpcUrl)
      seen.add(genesis!)
      await devnet.close()
      const second = Math.floor(Date.now() / 1000)
      await until('another second, in which a genesis block of its own would differ', async () => Math.floor(Date.now() / 1000) > second)
    }

    assert.equal(seen.size, 1)
  })

  it('leaves a reverted history reverted', async () => {
    const dataDir = await freshFolder(after.add)
    const devnet = await open(after.add, { dataDir, mining: still })
    const snapshot = await call(devnet.rpcUrl, 'evm_snapshot')
    await payAll(devnet.rpcUrl, 3)
    assert.equal(await call(devnet.rpcUrl, 'evm_revert', [snapshot]), true)
    await payAll(devnet.rpcUrl, 2)

    await killAnvil(devnet)

    assert.equal(await call(devnet.rpcUrl, 'eth_getTransactionCount', [sender.address, 'latest']), '0x2')
  })

  it('preserves a reorganisation', async () => {
    const dataDir = await freshFolder(after.add)
    const devnet = await open(after.add, { dataDir, mining: still })
    await payAll(devnet.rpcUrl, 3)
    const before = await blockHashes(devnet.rpcUrl)
    // the debounce of the last payment may add an empty block yet: then the next try goes one block deeper
    await until('the block of the last payment is replaced', async () => {
      const head = Number(await call<string>(devnet.rpcUrl, 'eth_blockNumber'))
      await call(devnet.rpcUrl, 'anvil_reorg', [head - before.length + 2, []])
      return (await blockHashes(devnet.rpcUrl))[before.length - 1] !== before.at(-1)
    })
    const reorganised = (await blockHashes(devnet.rpcUrl)).slice(0, before.length)

    await killAnvil(devnet)

    assert.notDeepEqual(reorganised, before)
    assert.deepEqual((await blockHashes(devnet.rpcUrl)).slice(0, before.length), reorganised)
  })

  it('does not include a refused transaction when its sender has funds later', async () => {
    const devnet = await open(after.add, { dataDir: await freshFolder(after.add), mining: still })
    const poor = Wallet.createRandom()
    const raw = await poor.signTransaction({
      type: 0,
      chainId: base.chainId,
      nonce: 0,
      gasLimit: 21_000,
      gasPrice: 2_000_000_000n,
      to: payee,
      value: 1,
    })
    assert.match((await request(devnet.rpcUrl, 'eth_sendRawTransaction', [raw])).error?.message ?? '', /funds/i)
    await call(devnet.rpcUrl, 'anvil_setBalance', [poor.address, '0xde0b6b3a7640000'])

    await killAnvil(devnet)
    await call(devnet.rpcUrl, 'evm_mine')

    assert.equal(await call(devnet.rpcUrl, 'eth_getBalance', [poor.address, 'latest']), '0xde0b6b3a7640000')
    assert.equal(await call(devnet.rpcUrl, 'eth_getTransactionCount', [poor.address, 'latest']), '0x0')
  })

  it('preserves what waits after a nonce gap, and forgets what was dropped', async () => {
    const dataDir = await freshFolder(after.add)
    const [first, second, third, fifth] = await payments(5).then(all => [all[0], all[1], all[2], all[4]])
    const before = await open(after.add, { dataDir, mining: { debounceMs: 60_000, heartbeatMs: 0 } })
    for (const payment of [first, second, third, fifth]) await send(before.rpcUrl, payment!.raw)
    await call(before.rpcUrl, 'anvil_dropTransaction', [third!.hash])
    await before.close()

    const { rpcUrl } = await open(after.add, { dataDir, mining: still })

    assert.equal((await receipt(rpcUrl, second!.hash)).status, '0x1')
    assert.equal(await call(rpcUrl, 'eth_getTransactionByHash', [third!.hash]), null)
    assert.ok(await call(rpcUrl, 'eth_getTransactionByHash', [fifth!.hash]))
  })

  it('dumps as it goes and trims its journal to two generations', async () => {
    const dataDir = await freshFolder(after.add)
    const devnet = await open(after.add, { dataDir, dumpAfterSec: 0 })

    await payAll(devnet.rpcUrl, 5)
    await until('a later dump', async () => (await files(dataDir, 'state')).includes('state.3.dump'))

    await until('only two dumps', async () => (await files(dataDir, 'state')).length === 2)
    await until('a trimmed journal', async () => !(await files(dataDir, 'journal')).includes('journal.1.ndjson'))
    await killAnvil(devnet)
    assert.equal(await call(devnet.rpcUrl, 'eth_getTransactionCount', [sender.address, 'latest']), '0x5')
  })

  it('falls back to the older dump and its journal when the newest dump is torn', async () => {
    const dataDir = await freshFolder(after.add)
    const first = await open(after.add, { dataDir })
    await payAll(first.rpcUrl, 10)
    const hashes = await blockHashes(first.rpcUrl)
    await first.close()
    await truncate(join(dataDir, 'state.2.dump'), 500)

    const second = await open(after.add, { dataDir })

    assert.deepEqual((await blockHashes(second.rpcUrl)).slice(0, hashes.length), hashes)
    await payAll(second.rpcUrl, 1, 10)
  })

  it('tolerates a torn last line of the journal', async () => {
    const dataDir = await freshFolder(after.add)
    const first = await open(after.add, { dataDir })
    await payAll(first.rpcUrl, 3)
    await first.close()
    await truncate(join(dataDir, 'state.2.dump'), 0)
    await appendFile(join(dataDir, 'journal.1.ndjson'), '{"kind":"tx","raw":"0x02f8')

    const second = await open(after.add, { dataDir })

    assert.equal(await call(second.rpcUrl, 'eth_getTransactionCount', [sender.address, 'latest']), '0x3')
  })

  it('stops with a clear error when no dump is readable, the journal is damaged, or the folder holds another chain', async () => {
    const dataDir = await freshFolder(after.add)
    const first = await open(after.add, { dataDir, mining: still })
    await payAll(first.rpcUrl, 3)
    await call(first.rpcUrl, 'evm_mine')
    await payAll(first.rpcUrl, 3, 3)
    await first.close()
    await assert.rejects(open(after.add, { dataDir, network: gasless }), /holds chain 84532, not 324705682/)

    await truncate(join(dataDir, 'state.2.dump'), 0)
    const journal = await readFile(join(dataDir, 'journal.1.ndjson'), 'utf8')
    await writeFile(join(dataDir, 'journal.1.ndjson'), journal.replace('\n', '?\n'))
    await assert.rejects(open(after.add, { dataDir }), /journal.1.ndjson in .* is damaged at line 1/)

    await writeFile(join(dataDir, 'journal.1.ndjson'), journal.replace(/{"kind":"tx".*\n/, ''))
    await assert.rejects(open(after.add, { dataDir }), /cannot be restored: block \d+ cannot be repeated: transaction 0x\w+ is not in the journal/)

    await writeFile(join(dataDir, 'journal.1.ndjson'), journal.replace(/{"kind":"block".*\n/, ''))
    await assert.rejects(open(after.add, { dataDir }), /cannot be restored: block \d+ \(0x\w+\) came back as block \d+/)

    await truncate(join(dataDir, 'state.1.dump'), 0)
    await assert.rejects(open(after.add, { dataDir }), /no dump in .* is readable/)
  })

  it('reports at the start that a stored chain was deployed by another version', async () => {
    const dataDir = await freshFolder(after.add)
    const first = await open(after.add, { dataDir })
    await first.close()
    const seen: string[] = []

    await assert.rejects(
      open(after.add, { dataDir, check: () => Promise.reject(new Error('other code than ours at Escrow')) }),
      /was deployed by another version: other code than ours at Escrow; remove the folder/,
    )
    const devnet = await open(after.add, {
      dataDir,
      check: async rpc => {
        seen.push(await rpc<string>('eth_chainId'))
      },
    })

    assert.deepEqual(seen, ['0x14a34'])
    assert.equal(await call(devnet.rpcUrl, 'eth_chainId'), '0x14a34')
  })

  it('refuses a folder that another supervisor uses', async () => {
    const dataDir = await freshFolder(after.add)
    await open(after.add, { dataDir })

    await assert.rejects(open(after.add, { dataDir }), /is in use by process \d+/)
  })

  it('starts an unfinished first start over', async () => {
    const dataDir = await freshFolder(after.add)
    await assert.rejects(open(after.add, { dataDir, deploy: () => Promise.reject(new Error('no gas')) }), /no gas/)

    const devnet = await open(after.add, { dataDir })

    assert.equal(await call(devnet.rpcUrl, 'eth_getTransactionCount', [sender.address, 'latest']), '0x0')
  })
})
