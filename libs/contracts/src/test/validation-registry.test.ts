import assert from 'node:assert/strict'
import { id, ZeroAddress, ZeroHash } from 'ethers'
import { artifact } from '../artifact.ts'
import { type Chain, type Handle, people, startChain } from '../testing/chain.ts'
import { testTree } from '../testing/tree.ts'

const { operator, payee: agent, poster: alice, stranger: bob } = people

describe('ValidationRegistry', () => {
  let chain: Chain
  let validation: Handle

  before(async () => {
    chain = await startChain()
    validation = chain.at('ValidationRegistry')
  })
  beforeEach(async () => {
    await chain.reset()
    await chain.at('IdentityRegistry').send(operator, 'registerFor', agent, id('agent'), '')
  })
  after(() => chain?.stop())

  const request = (validator = alice, hash = id('request'), by = agent) => validation.send(by, 'validationRequest', validator, 0, 'ipfs://r', hash)
  const answer = (response: number, by = alice, hash = id('request'), tag = 'hard') =>
    validation.send(by, 'validationResponse', hash, response, 'ipfs://a', id('answer'), tag)
  const status = async (hash = id('request')) => [...(await validation.read('getValidationStatus', hash))].slice(0, 5)
  const summary = async (validators: string[] = [], tag = '') => [...(await validation.read('getSummary', 0, validators, tag))]

  testTree(import.meta.url, {
    validationRequest: {
      'when the validator is zero': () => request(ZeroAddress),
      'when the hash was requested before': async () => {
        await request()
        await request()
      },
      'when the caller is not authorised for the agent': () => request(alice, id('request'), operator),
      'it records and emits the request': async () => {
        const [event] = await request()

        assert.deepEqual([event?.name, ...(event?.args ?? [])], ['ValidationRequest', alice, 0n, 'ipfs://r', id('request')])
        assert.deepEqual([...(await validation.read('getAgentValidations', 0))], [id('request')])
        assert.deepEqual([...(await validation.read('getValidatorRequests', alice))], [id('request')])
      },
    },
    validationResponse: {
      'when there is no such request': () => answer(1),
      'when the caller is not the requested validator': async () => {
        await request()
        await answer(1, bob)
      },
      'when the response is above 100': async () => {
        await request()
        await answer(101)
      },
      'it can be given again': async () => {
        await request()
        await answer(10)
        const [event] = await answer(90)

        assert.deepEqual(
          [event?.name, ...(event?.args ?? [])],
          ['ValidationResponse', alice, 0n, id('request'), 90n, 'ipfs://a', id('answer'), 'hard'],
        )
        assert.deepEqual(await status(), [alice, 0n, 90n, id('answer'), 'hard'])
      },
    },
    getValidationStatus: {
      'when there is no such request': () => status(),
      'it shows an open request without answer': async () => {
        await request()

        assert.deepEqual(await status(), [alice, 0n, 0n, ZeroHash, ''])
      },
    },
    getSummary: {
      'it gives the mean of answered requests': async () => {
        await request()
        await request(bob, id('second'))
        await request(bob, id('open'))
        await answer(100)
        await answer(51, bob, id('second'))

        assert.deepEqual(await summary(), [2n, 75n])
      },
      'it filters by validator and tag': async () => {
        await request()
        await request(bob, id('second'))
        await answer(100)
        await answer(50, bob, id('second'), 'soft')

        assert.deepEqual(
          [await summary([bob]), await summary([], 'hard'), await summary([bob], 'hard')],
          [
            [1n, 50n],
            [1n, 100n],
            [0n, 0n],
          ],
        )
      },
    },
    constructor: {
      'when the identity registry is zero': () => {
        const { bytecode, abi } = artifact('ValidationRegistry')
        return chain.create(alice, bytecode, abi as never, ZeroAddress)
      },
    },
  })
})
