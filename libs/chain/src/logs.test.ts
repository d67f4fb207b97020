import assert from 'node:assert/strict'
import { EventFragment, hexlify, Interface, toUtf8Bytes } from 'ethers'
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

describe('text in a log', () => {
  const decode = logDecoder(addresses)
  const registered = (uri: string) => {
    const fragment = contractInterface('IdentityRegistry').getEvent('Registered')!
    // any bytes are a text on chain
    const bytes = EventFragment.from(fragment.format('full').replace('string agentURI', 'bytes agentURI'))
    const { data, topics } = new Interface([bytes]).encodeEventLog(bytes, [7n, uri, wallet])
    return decode([{ address: addresses.IdentityRegistry, data, topics: [fragment.topicHash, ...topics.slice(1)], logIndex: '0x0' }])[0]!.args
  }

  it('is read as UTF-8', () => {
    assert.deepEqual(registered(hexlify(toUtf8Bytes('https://example.org/ü'))), { agentId: '7', agentURI: 'https://example.org/ü', owner: wallet })
  })

  it('that is no UTF-8 is read all the same: anybody may write it, and the block has to be passed', () => {
    assert.deepEqual(registered('0x61ff62'), { agentId: '7', agentURI: 'a\ufffdb', owner: wallet })
  })
})
