import assert from 'node:assert/strict'
import { contractInterface } from './abi.ts'
import { type Addresses, contractNames } from './contract-names.ts'
import { toChecksum } from './keys.ts'
import { logDecoder, type RawLog } from './logs.ts'

const addresses = Object.fromEntries(
  contractNames.map((name, index) => [name, toChecksum(`0x${(index + 1).toString(16).padStart(40, '0')}`)]),
) as unknown as Addresses
const wallet = toChecksum(`0x${'ab'.repeat(20)}`)
const transfer = contractInterface('USDC').encodeEventLog('Transfer', [wallet, wallet, 1n])
const ours = (logIndex: string): RawLog => ({ address: addresses.USDC, ...transfer, logIndex })
const foreign = (logIndex: string): RawLog => ({ ...ours(logIndex), address: wallet })

describe('the position of a log', () => {
  const decode = logDecoder(addresses)
  const positions = (logs: readonly RawLog[], first?: RawLog) => decode(logs, first).map(({ logIndex, logPosition }) => [logIndex, logPosition])

  it('is counted among all logs of its transaction, not among those of the block', () => {
    assert.deepEqual(positions([foreign('0x7'), ours('0x8'), foreign('0x9'), ours('0xa')]), [
      [8, 1],
      [10, 3],
    ])
    assert.deepEqual(positions([foreign('0x0'), ours('0x1')]), [[1, 1]])
  })

  it('of a part of the logs is counted from the first log of the transaction', () => {
    assert.deepEqual(positions([ours('0xa')], foreign('0x7')), [[10, 3]])
  })
})
