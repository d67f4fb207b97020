import assert from 'node:assert/strict'
import { id, ZeroAddress, ZeroHash } from 'ethers'
import { artifact } from '../artifact.ts'
import { type Chain, type Handle, people, startChain } from '../testing/chain.ts'
import { testTree } from '../testing/tree.ts'

const { operator, payee: agent, poster: alice, stranger: bob } = people

describe('ReputationRegistry', () => {
  let chain: Chain
  let reputation: Handle

  before(async () => {
    chain = await startChain()
    reputation = chain.at('ReputationRegistry')
  })
  beforeEach(async () => {
    await chain.reset()
    await chain.at('IdentityRegistry').send(operator, 'registerFor', agent, id('agent'), '')
  })
  after(() => chain?.stop())

  const give = (by: string, value: bigint | number, decimals = 0, tag1 = 'starred', tag2 = 'gig', agentId = 0) =>
    reputation.send(by, 'giveFeedback', agentId, value, decimals, tag1, tag2, 'https://x', 'ipfs://f', id('file'))
  const summary = async (clients: string[], tag1 = '', tag2 = '') => [...(await reputation.read('getSummary', 0, clients, tag1, tag2))]
  const readAll = async (clients: string[], revoked = false) => {
    const arrays = await reputation.read('readAllFeedback', 0, clients, '', '', revoked)
    return [...arrays].map(array => [...array])
  }

  testTree(import.meta.url, {
    giveFeedback: {
      'when there are more than 18 decimals': () => give(alice, 1, 19),
      'when the value is above 1e38': () => give(alice, 10n ** 38n + 1n),
      "when the agent is the caller's own": () => give(agent, 1),
      'when there is no such agent': () => give(alice, 1, 0, '', '', 5),
      'it numbers feedback from 1 and emits all of it': async () => {
        const [event] = await give(operator, -87, 2)

        assert.equal(event?.name, 'NewFeedback')
        const { args } = event
        assert.deepEqual([args[0], args[1], args[2], args[3], args[4]], [0n, operator, 1n, -87n, 2n])
        assert.deepEqual([...args].slice(6), ['starred', 'gig', 'https://x', 'ipfs://f', id('file')])
      },
    },
    revokeFeedback: {
      'when the index is 0': () => reputation.send(alice, 'revokeFeedback', 0, 0),
      'when there is no such feedback': () => reputation.send(alice, 'revokeFeedback', 0, 1),
      'when it is revoked already': async () => {
        await give(alice, 1)
        await reputation.send(alice, 'revokeFeedback', 0, 1)
        await reputation.send(alice, 'revokeFeedback', 0, 1)
      },
      'it leaves revoked feedback out of summaries': async () => {
        await give(alice, 10)
        await give(alice, 90)
        const [event] = await reputation.send(alice, 'revokeFeedback', 0, 1)

        assert.deepEqual([...(event?.args ?? [])], [0n, alice, 1n])
        assert.deepEqual(await summary([alice]), [1n, 90n, 0n])
      },
    },
    appendResponse: {
      'when there is no such feedback': () => reputation.send(bob, 'appendResponse', 0, alice, 1, 'x', ZeroHash),
      'when the URI is empty': async () => {
        await give(alice, 1)
        await reputation.send(bob, 'appendResponse', 0, alice, 1, '', ZeroHash)
      },
      'it counts responses by responder': async () => {
        await give(alice, 1)
        await give(alice, 2)
        await reputation.send(bob, 'appendResponse', 0, alice, 1, 'x', ZeroHash)
        await reputation.send(bob, 'appendResponse', 0, alice, 1, 'y', ZeroHash)
        await reputation.send(agent, 'appendResponse', 0, alice, 2, 'z', ZeroHash)
        const count = (...args: unknown[]) => reputation.read('getResponseCount', 0, ...args)
        const counts = [count(alice, 1, []), count(alice, 0, []), count(ZeroAddress, 0, []), count(alice, 0, [agent]), count(alice, 2, [bob])]

        assert.deepEqual(await Promise.all(counts), [2n, 3n, 3n, 1n, 0n])
      },
    },
    getSummary: {
      'when no client is named': () => summary([]),
      'it gives the mean in the decimals most used': async () => {
        await give(alice, 9_977, 2)
        await give(alice, 99, 0)
        await give(bob, 9_950, 2)

        assert.deepEqual(await summary([alice, bob]), [3n, 9_942n, 2n])
      },
      'it filters by tags': async () => {
        await give(alice, 10)
        await give(alice, 50, 0, 'uptime', 'day')
        await give(bob, 30, 0, 'starred', 'job')

        assert.deepEqual(await summary([alice, bob], 'starred'), [2n, 20n, 0n])
        assert.deepEqual(await summary([alice, bob], 'starred', 'job'), [1n, 30n, 0n])
      },
      'it is zero without feedback': async () => assert.deepEqual(await summary([alice]), [0n, 0n, 0n]),
    },
    readFeedback: {
      'when there is no such feedback': () => reputation.read('readFeedback', 0, alice, 1),
      'it reads what was given': async () => {
        await give(alice, 87, 1)

        assert.deepEqual([...(await reputation.read('readFeedback', 0, alice, 1))], [87n, 1n, 'starred', 'gig', false])
      },
    },
    readAllFeedback: {
      'it reads all clients when none is named': async () => {
        await give(alice, 1)
        await give(bob, 2, 1, 'uptime', '')

        assert.deepEqual(await readAll([]), [
          [alice, bob],
          [1n, 1n],
          [1n, 2n],
          [0n, 1n],
          ['starred', 'uptime'],
          ['gig', ''],
          [false, false],
        ])
      },
      'it includes revoked feedback on request': async () => {
        await give(alice, 1)
        await reputation.send(alice, 'revokeFeedback', 0, 1)

        assert.deepEqual([(await readAll([alice]))[0], (await readAll([alice], true))[6]], [[], [true]])
      },
    },
    getClients: {
      'it lists each client once and knows the registry': async () => {
        await give(alice, 1)
        await give(alice, 2)

        assert.deepEqual([...(await reputation.read('getClients', 0))], [alice])
        assert.equal(await reputation.read('getLastIndex', 0, alice), 2n)
        assert.equal(await reputation.read('getIdentityRegistry'), chain.addresses.IdentityRegistry)
      },
    },
    constructor: {
      'when the identity registry is zero': () => {
        const { bytecode, abi } = artifact('ReputationRegistry')
        return chain.create(alice, bytecode, abi as never, ZeroAddress)
      },
    },
  })
})
