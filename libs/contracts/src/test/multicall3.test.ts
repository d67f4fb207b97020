import assert from 'node:assert/strict'
import { ZeroHash } from 'ethers'
import { call } from '../deploy/rpc.ts'
import { type Chain, type Handle, people, startChain } from '../testing/chain.ts'
import { testTree } from '../testing/tree.ts'

const { stranger } = people

describe('Multicall3', () => {
  let chain: Chain
  let multicall: Handle
  let good: [string, string]
  let bad: [string, string]

  before(async () => {
    chain = await startChain()
    multicall = chain.at('Multicall3')
    const token = chain.at('DevUSDC')
    good = [token.address, token.interface.encodeFunctionData('decimals')]
    bad = [token.address, token.interface.encodeFunctionData('transfer', [stranger, 1])]
  })
  after(() => chain?.stop())

  const results = (list: Iterable<{ success: boolean; returnData: string }>) => [...list].map(r => (r.success ? BigInt(r.returnData) : 'failed'))

  testTree(import.meta.url, {
    aggregate: {
      'when a call fails': () => multicall.read('aggregate', [good, bad]),
      'it gives the block number and all results': async () => {
        const answer = await multicall.read('aggregate', [good, good])

        assert.equal(answer.blockNumber, BigInt(await call<string>(chain.rpcUrl, 'eth_blockNumber')))
        assert.deepEqual([...answer.returnData].map(BigInt), [6n, 6n])
      },
    },
    tryAggregate: {
      'when a call fails and success is required': () => multicall.read('tryAggregate', true, [bad]),
      'it says which call failed': async () => {
        assert.deepEqual(results(await multicall.read('tryAggregate', false, [good, bad])), [6n, 'failed'])
      },
    },
    tryBlockAndAggregate: {
      'it gives block number, hash and results': async () => {
        const answer = await multicall.read('tryBlockAndAggregate', false, [bad, good])

        assert.equal(answer.blockHash, ZeroHash)
        assert.deepEqual(results(answer.returnData), ['failed', 6n])
      },
    },
    blockAndAggregate: {
      'when a call fails': () => multicall.read('blockAndAggregate', [bad]),
      'it gives block number, hash and results': async () => {
        assert.deepEqual(results((await multicall.read('blockAndAggregate', [good])).returnData), [6n])
      },
    },
    aggregate3: {
      'when a call fails that may not': () => multicall.read('aggregate3', [[bad[0], false, bad[1]]]),
      'it lets a call fail that may': async () => {
        const calls = [
          [bad[0], true, bad[1]],
          [good[0], false, good[1]],
        ]

        assert.deepEqual(results(await multicall.read('aggregate3', calls)), ['failed', 6n])
      },
    },
    aggregate3Value: {
      'when the values do not add up': () => multicall.read('aggregate3Value', [[stranger, true, 1, '0x']]),
      'when a call fails that may not': () => multicall.read('aggregate3Value', [[stranger, false, 1, '0x']]),
      'it gives results': async () => {
        assert.deepEqual(results(await multicall.read('aggregate3Value', [[good[0], false, 0, good[1]]])), [6n])
      },
    },
    getters: {
      'it reads chain and balances as the public contract does': async () => {
        const latest = await call<{ number: string; timestamp: string; parentHash: string }>(chain.rpcUrl, 'eth_getBlockByNumber', 'latest', false)

        assert.equal(await multicall.read('getChainId'), 84532n)
        assert.equal(await multicall.read('getBlockNumber'), BigInt(latest.number))
        assert.equal(await multicall.read('getLastBlockHash'), latest.parentHash)
        assert.equal(await multicall.read('getBlockHash', BigInt(latest.number) - 1n), latest.parentHash)
        assert.equal(await multicall.read('getCurrentBlockTimestamp'), BigInt(latest.timestamp))
        assert.equal(await multicall.read('getEthBalance', stranger), 0n)
        assert.equal(await multicall.read('getBasefee'), 0n)
        assert.equal(await multicall.read('getCurrentBlockGasLimit'), 1_000_000_000n)
        await multicall.read('getCurrentBlockCoinbase')
        await multicall.read('getCurrentBlockDifficulty')
      },
    },
  })
})
