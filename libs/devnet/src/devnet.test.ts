import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { JsonRpcProvider, Wallet } from 'ethers'
import { startDevnet, startDevnets } from './devnet.ts'
import { base, call, cleanups, freshFolder, gasless, hasEnded, open, payee, payments, receipt, send, startSupervisor, until } from './test/support.ts'

describe('a throw-away devnet', () => {
  const after = cleanups()
  afterEach(after.run)

  const payAll = async (url: string) => {
    const sent = await payments(3)
    for (const { raw } of sent) await send(url, raw)
    await receipt(url, sent[2]!.hash)
  }

  it('starts both networks with their chain ids and what the deployment answered', async () => {
    const networks = [
      { ...base, port: 0 },
      { ...gasless, port: 0 },
    ]
    const devnets = await startDevnets({ networks, deploy: async (rpc, { chain }) => ({ chain, id: await rpc('eth_chainId') }) })
    for (const devnet of devnets) after.add(devnet.close)

    assert.deepEqual(
      devnets.map(({ addresses }) => addresses),
      [
        { chain: 'BASE_SEPOLIA', id: '0x14a34' },
        { chain: 'SKALE_TESTNET', id: '0x135a9d92' },
      ],
    )
    assert.equal(await call(devnets[1]!.rpcUrl, 'eth_chainId'), '0x135a9d92')
  })

  it('mines a transaction without a call to mine', async () => {
    const { rpcUrl } = await open(after.add, { mining: { debounceMs: 2, heartbeatMs: 0 } })
    const [payment] = await payments(1)

    await send(rpcUrl, payment!.raw)

    assert.equal((await receipt(rpcUrl, payment!.hash)).status, '0x1')
  })

  it('accepts a transaction of an account without any balance on the gasless network', async () => {
    const { rpcUrl } = await open(after.add, { network: gasless })
    const tx = { type: 0, chainId: gasless.chainId, nonce: 0, gasPrice: 0, gasLimit: 21_000, to: payee }

    const hash = await send(rpcUrl, await Wallet.createRandom().signTransaction(tx))

    assert.equal((await receipt(rpcUrl, hash)).status, '0x1')
  })

  it('requests no tip on the gasless network, so that a wallet without money sends with what its client fills in', async () => {
    const { rpcUrl } = await open(after.add, { network: gasless })
    const provider = new JsonRpcProvider(rpcUrl, undefined, { pollingInterval: 50 })
    try {
      const sent = await Wallet.createRandom().connect(provider).sendTransaction({ to: payee, value: 0 })

      assert.equal(await call(rpcUrl, 'eth_maxPriorityFeePerGas'), '0x0')
      assert.equal((await receipt(rpcUrl, sent.hash)).status, '0x1')
    } finally {
      provider.destroy()
    }
  })

  it('makes a block at each heartbeat, so that time passes', async () => {
    const { rpcUrl } = await open(after.add, { mining: { debounceMs: 2, heartbeatMs: 20 } })

    await until('three blocks', async () => Number(await call<string>(rpcUrl, 'eth_blockNumber')) >= 3)
  })

  it('moves its clock forward', async () => {
    const devnet = await open(after.add)

    await devnet.advanceTime(86_400)

    const block = await call<{ timestamp: string }>(devnet.rpcUrl, 'eth_getBlockByNumber', ['latest', false])
    assert.ok(Number(block.timestamp) - Date.now() / 1000 > 86_390)
  })

  for (const [name, method, rewrite] of [
    ['a revert to a snapshot', 'evm_revert', (snapshot: unknown) => [snapshot]],
    ['a reorganisation', 'anvil_reorg', () => [12, []]],
    ['a rollback', 'anvil_rollback', () => [12]],
  ] as const)
    it(`does not set its clock back at ${name}`, async () => {
      const { rpcUrl } = await open(after.add)
      const newest = () => call<{ timestamp: string }>(rpcUrl, 'eth_getBlockByNumber', ['latest', false])
      const timeOf = async () => Number((await newest()).timestamp)
      await call(rpcUrl, 'anvil_mine', ['0x5'])
      const [snapshot, start] = [await call(rpcUrl, 'evm_snapshot'), await timeOf()]
      await until('blocks of three seconds', async () => (await timeOf()) >= start + 3)
      const before = await timeOf()

      await call(rpcUrl, method, rewrite(snapshot))
      await call(rpcUrl, 'evm_mine')

      assert.ok((await timeOf()) >= before, `${await timeOf()} after ${before}`)
    })

  it('starts from the prepared state, without deploying again', async () => {
    const preparedDir = await freshFolder(after.add)
    const contract = '0x00000000000000000000000000000000000000c0'
    const first = await open(after.add, { preparedDir, deploy: rpc => rpc('anvil_setCode', [contract, '0x6001']).then(() => ({ contract })) })
    await payAll(first.rpcUrl)

    const second = await open(after.add, { preparedDir, deploy: () => Promise.reject(new Error('deployed twice')) })

    assert.deepEqual(second.addresses, { contract })
    assert.equal(await call(second.rpcUrl, 'eth_getCode', [contract, 'latest']), '0x6001')
    await payAll(second.rpcUrl)
  })

  it('leaves no anvil running when it is closed', async () => {
    const devnet = await open(after.add)
    const { pid } = devnet

    await devnet.close()

    assert.ok(hasEnded(pid))
  })

  it('leaves no anvil running when its process is killed', async () => {
    const supervisor = await startSupervisor(after.add)

    supervisor.child.kill('SIGKILL')

    await until('end of anvil', async () => hasEnded(supervisor.anvilPid))
  })

  it('says so when its anvil has ended', async () => {
    const devnet = await open(after.add)

    process.kill(devnet.pid, 'SIGKILL')

    await until('error answer', async () => {
      const response = await fetch(devnet.rpcUrl, { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}' })
      return (await response.text()).includes('the throw-away devnet BASE_SEPOLIA has ended')
    })
  })

  it('refuses a port that another process uses', async () => {
    const other = createServer()
    const port = await new Promise<number>(resolve => other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port)))
    after.add(() => other.close())

    const start = startDevnet({ network: base, port, deploy: async () => ({}) })

    await assert.rejects(start, { message: `port ${port} is used by another process` })
  })
})
