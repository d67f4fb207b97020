import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { networkReader } from './network-reader.ts'

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
})
