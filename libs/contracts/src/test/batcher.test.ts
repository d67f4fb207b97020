import assert from 'node:assert/strict'
import { id } from 'ethers'
import { call } from '../deploy/rpc.ts'
import { type Chain, type Event, type Handle, people, startChain } from '../testing/chain.ts'
import { revertedWith } from '../testing/revert.ts'
import { testTree } from '../testing/tree.ts'
import { balanceOf, usd } from '../testing/usdc.ts'

const { operator, pauser, payee: agent, stranger } = people
const gas = 300_000n

describe('Batcher', () => {
  let chain: Chain
  let batcher: Handle
  let card: Handle
  let token: Handle

  before(async () => {
    chain = await startChain()
    batcher = chain.at('Batcher')
    card = chain.at('Card')
    token = chain.at('DevUSDC')
  })
  beforeEach(() => chain.reset())
  after(() => chain?.stop())

  const mintCard = (name: string, to: string, tokenId: number, limit = gas) => [
    id(name),
    card.address,
    limit,
    card.interface.encodeFunctionData('mint', [to, tokenId]),
  ]
  const run = (...ops: unknown[][]) => batcher.send(operator, 'run', ops)
  const results = (events: Event[]) => events.filter(e => e.contract === 'Batcher').map(e => [e.name, e.args[0], e.args[1]])

  testTree(import.meta.url, {
    run: {
      'when the caller is not operator': () => batcher.send(stranger, 'run', [mintCard('a', agent, 1)]),
      'when entries are paused': async () => {
        await batcher.send(pauser, 'pause')
        await run(mintCard('a', agent, 1))
      },
      'when the gas left cannot give a call its share': async () => {
        const data = batcher.interface.encodeFunctionData('run', [[mintCard('a', agent, 1)]])
        try {
          await call(chain.rpcUrl, 'eth_call', { from: operator, to: batcher.address, data, gas: '0x55730' }, 'latest')
        } catch (error) {
          throw revertedWith(error, [batcher.interface])
        }
      },
      'it runs calls in order and marks each': async () => {
        const events = await run(mintCard('a', agent, 1), mintCard('b', stranger, 2))

        assert.deepEqual(results(events), [
          ['OpResult', id('a'), true],
          ['OpResult', id('b'), true],
        ])
        assert.deepEqual([await card.read('ownerOf', 1), await card.read('ownerOf', 2)], [agent, stranger])
        assert.equal(await batcher.read('done', id('b')), true)
      },
      'it continues after a failure, which may be retried': async () => {
        const events = await run(mintCard('a', agent, 1), mintCard('b', agent, 2), mintCard('c', stranger, 3))

        const reason = card.interface.parseError(events.find(e => e.args[0] === id('b'))?.args[2])
        assert.deepEqual([reason?.name, reason?.args[0]], ['Card_OnePerWallet', agent])
        assert.equal(await card.read('ownerOf', 3), stranger)
        assert.equal(await batcher.read('done', id('b')), false)
        await card.send(operator, 'burn', 1)
        assert.deepEqual(results(await run(mintCard('b', agent, 2))), [['OpResult', id('b'), true]])
      },
      'it skips what succeeded before': async () => {
        const mint = [id('a'), token.address, gas, token.interface.encodeFunctionData('mint', [agent, usd(1)])]
        await run(mint)

        const events = await run(mint, mint)

        assert.deepEqual(
          events.map(e => e.name),
          ['OpSkipped', 'OpSkipped'],
        )
        assert.equal(await balanceOf(chain, agent), usd(1))
      },
      'it fails a call to an address without code': async () => {
        assert.deepEqual(results(await run([id('a'), stranger, gas, '0x'])), [['OpResult', id('a'), false]])
      },
      'it fails a call that needs more than its own gas': async () => {
        const events = await run(mintCard('a', agent, 1, 30_000n), mintCard('b', stranger, 2))

        assert.deepEqual(results(events), [
          ['OpResult', id('a'), false],
          ['OpResult', id('b'), true],
        ])
      },
      'it acts as operator of every contract': async () => {
        const operated = ['Escrow', 'Bond', 'SwarmValidator', 'Commerce', 'Card', 'DomainRegistry', 'IdentityRegistry'] as const
        const oracled = ['Bond', 'ReputationAdapter'] as const
        const holds = (name: (typeof operated | typeof oracled)[number], role: string) => chain.at(name).read('hasRole', id(role), batcher.address)

        assert.deepEqual(
          await Promise.all(operated.map(name => holds(name, 'OPERATOR'))),
          operated.map(() => true),
        )
        assert.deepEqual(
          await Promise.all(oracled.map(name => holds(name, 'ORACLE'))),
          oracled.map(() => true),
        )
      },
    },
  })
})
