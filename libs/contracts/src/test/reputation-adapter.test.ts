import assert from 'node:assert/strict'
import { type Chain, type Handle, people, startChain, walletOf } from '../testing/chain.ts'
import { testTree } from '../testing/tree.ts'

const { oracle, operator, pauser, payee: agent, stranger } = people
const at = 1_800_000_000n

describe('ReputationAdapter', () => {
  let chain: Chain
  let adapter: Handle

  before(async () => {
    chain = await startChain()
    adapter = chain.at('ReputationAdapter')
  })
  beforeEach(() => chain.reset())
  after(() => chain?.stop())

  const entry = (wallet = agent, { score = 7_050, risk = 20, bonded = true, nonce = 1 } = {}) => [wallet, score, risk, bonded, at, nonce]
  const set = (...entries: unknown[][]) => adapter.send(oracle, 'setScores', entries)
  const many = (count: number) => Array.from({ length: count }, (_, i) => entry(walletOf(`wallet ${i}`).address))
  const check = async (wallet: string, minScore: number, maxRisk: number) => [...(await adapter.read('checkEligibility', wallet, minScore, maxRisk))]

  testTree(import.meta.url, {
    setScores: {
      'when the caller is not oracle': () => adapter.send(operator, 'setScores', [entry()]),
      'when entries are paused': async () => {
        await adapter.send(pauser, 'pause')
        await set(entry())
      },
      'when the score is above 10000': () => set(entry(agent, { score: 10_001 })),
      'when the risk is above 100': () => set(entry(agent, { risk: 101 })),
      'when there are 51 scores': () => set(...many(51)),
      'when every nonce is known': async () => {
        await set(entry())
        await set(entry())
      },
      'when the batch is empty': () => set(),
      'it writes 50 scores and emits each': async () => {
        const events = await set(...many(50))

        assert.equal(events.length, 50)
        assert.deepEqual([events[0]?.name, ...(events[0]?.args ?? [])], ['ScoreUpdated', walletOf('wallet 0').address, 7_050n, 20n, true, at, 1n])
      },
      'it skips what is older and writes the rest': async () => {
        await set(entry(agent, { nonce: 5 }))
        const events = await set(entry(agent, { nonce: 4, score: 1 }), entry(stranger))

        assert.deepEqual(
          events.map(e => e.args[0]),
          [stranger],
        )
        assert.equal((await adapter.read('getScore', agent)).score, 7_050n)
      },
    },
    checkEligibility: {
      'it is false for an unknown wallet under any limits': async () => {
        assert.deepEqual(await check(agent, 0, 100), [false, 0n, 0n, false, 0n])
      },
      'it is true at both limits': async () => {
        await set(entry())

        assert.deepEqual(await check(agent, 70, 20), [true, 70n, 20n, true, at])
      },
      'it is false below the score': async () => {
        await set(entry())

        assert.equal((await check(agent, 71, 20))[0], false)
      },
      'it is refused for limits above 100 points': async () => {
        await set(entry())

        for (const [minScore, maxRisk] of [
          [101, 20],
          [7_050, 100],
          [70, 101],
        ] as const)
          await assert.rejects(check(agent, minScore, maxRisk), /Reputation_LimitOutOfRange/)
      },
      'it is false above the risk': async () => {
        await set(entry())

        assert.equal((await check(agent, 0, 19))[0], false)
      },
    },
  })
})
