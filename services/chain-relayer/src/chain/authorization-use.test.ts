import assert from 'node:assert/strict'
import { contractInterface } from '@carapace/chain'
import { newHash, newWallet } from '@carapace/testing'
import { authorizationUse } from './authorization-use.ts'

const token = newWallet()
const payer = newWallet()
const abi = contractInterface('USDC')
const [head, blockSeconds, genesis] = [50_000, 2, 1_700_000_000]
const timeOf = (block: number): number => genesis + block * blockSeconds

interface Filter {
  address: string
  topics: [string[], ...string[]]
  fromBlock: string
  toBlock: string
}

/** A node whose token has logged one event in a block. */
function node({ event = 'AuthorizationUsed', at, storedFrom = 0 }: { event?: string; at: number; storedFrom?: number }) {
  const [nonce, txHash] = [newHash(), newHash()]
  const { topics } = abi.encodeEventLog(event, [payer, nonce])
  const methods: string[] = []
  const answers: Readonly<Record<string, (param: unknown) => unknown>> = {
    eth_getBlockByNumber: number => (Number(number) < storedFrom ? null : { timestamp: `0x${timeOf(Number(number)).toString(16)}` }),
    eth_getLogs: filter => {
      const { address, topics: wanted, fromBlock, toBlock } = filter as Filter
      assert.ok(Number(toBlock) - Number(fromBlock) < 900, 'a public node refuses the range')
      const [events, ...parties] = wanted
      const isMatch = address === token && events.includes(topics[0]!) && parties.every((topic, index) => topic === topics[index + 1])
      return isMatch && Number(fromBlock) <= at && at <= Number(toBlock) ? [{ transactionHash: txHash, topics }] : []
    },
  }
  const query = async (method: string, [param]: readonly unknown[]) => {
    methods.push(method)
    return answers[method]!(param)
  }
  return { nonce, txHash, methods, find: (since?: number, of = nonce) => authorizationUse({ token, query, head }, payer, of, since) }
}

describe('the search for what used an authorisation of the token', () => {
  it('is one request among the last blocks where no moment is named', async () => {
    const { find, methods, txHash } = node({ at: head - 899 })

    assert.deepEqual([await find(), methods], [{ txHash, cancelled: false }, ['eth_getLogs']])
    assert.equal((await node({ at: head - 900 }).find()).txHash, null)
  })

  for (const [title, at] of [
    ['in the newest block', head],
    ['an hour ago', head - 1_800],
    ['yesterday', head - 43_200],
    ['in the first block', 0],
  ] as const)
    it(`finds one ${title} from an hour before it, with few requests`, async () => {
      const { find, methods, txHash } = node({ at })

      assert.deepEqual(await find(timeOf(at) - 3_600), { txHash, cancelled: false })
      assert.ok(methods.length <= 20, `${methods.length} requests`)
    })

  it('finds a cancellation', async () => {
    const { find, txHash } = node({ event: 'AuthorizationCanceled', at: head - 5_000 })

    assert.deepEqual(await find(timeOf(head - 5_100)), { txHash, cancelled: true })
  })

  it('finds it where the node has pruned the blocks before', async () => {
    const { find, txHash } = node({ at: 40_000, storedFrom: 39_000 })

    assert.equal((await find(timeOf(10_000))).txHash, txHash)
  })

  it('ends where there is nothing, however old the moment is', async () => {
    const { find, methods } = node({ at: head })

    assert.deepEqual(await find(0, newHash()), { txHash: null, cancelled: false })
    assert.ok(methods.length <= 30, `${methods.length} requests`)
  })

  it('searches the newest block for a moment that no block has reached', async () => {
    const { find, txHash } = node({ at: head })

    assert.equal((await find(timeOf(head) + 60)).txHash, txHash)
  })
})
