import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { networkReader } from './network-reader.ts'

/** Polls as long as the test may last. */
async function until(what: string, probe: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 10_000; performance.now() < end; await setImmediate()) if (await probe()) return
  throw new Error(`not in time: ${what}`)
}

describe('networkReader', () => {
  it('says whether a network is a devnet without waiting, and requests it once', async () => {
    let requests = 0
    const call = async () => {
      requests += 1
      return { networks: [{ chain: 'BASE_SEPOLIA', devnet: true }] } as never
    }
    const reader = networkReader({ peers: { call } })

    assert.deepEqual([reader.isDevnet('BASE_SEPOLIA'), reader.isDevnet('SKALE_TESTNET')], [undefined, undefined])
    await setImmediate()
    assert.equal(reader.isDevnet('BASE_SEPOLIA'), true)
    assert.equal(requests, 1)
  })

  it('requests again before it knows no contract at an address: it may have been deployed meanwhile', async () => {
    const [first, second, other] = ['0x1', '0x2', '0x3']
    let network = { chain: 'BASE_SEPOLIA', contracts: { escrow: first, commerce: '0x4' }, formerContracts: { escrow: [] as string[] } }
    const { contractAt, everyContract } = networkReader({ peers: { call: async () => ({ networks: [network] }) as never } })

    assert.deepEqual(await everyContract('BASE_SEPOLIA', 'escrow'), [first])
    network = { chain: 'BASE_SEPOLIA', contracts: { escrow: second, commerce: '0x4' }, formerContracts: { escrow: [first] } }

    const found = await Promise.all([first, second, other].map(address => contractAt('BASE_SEPOLIA', ['commerce', 'escrow'], address)))
    assert.deepEqual(found, ['escrow', 'escrow', undefined])
    assert.deepEqual(await everyContract('BASE_SEPOLIA', 'escrow'), [first, second])
  })

  it('requests again before it denies that an address sends: keys may be exchanged, and former ones stay ours', async () => {
    const [first, second] = ['0x1', '0x2']
    let status = { lane: { address: first }, laneAddresses: [first] }
    const reader = networkReader({ peers: { call: async () => status as never } })

    assert.deepEqual([await reader.lane('BASE_SEPOLIA'), await reader.isLane('BASE_SEPOLIA', first)], [first, true])
    status = { lane: { address: second }, laneAddresses: [first, second] }

    await until('the new one is found', () => reader.isLane('BASE_SEPOLIA', second))
    assert.deepEqual([await reader.isLane('BASE_SEPOLIA', first), await reader.everyLane('BASE_SEPOLIA')], [true, [first, second]])
    assert.equal(await reader.lane('BASE_SEPOLIA'), second)
  })
})
