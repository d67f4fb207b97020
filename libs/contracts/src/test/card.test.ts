import assert from 'node:assert/strict'
import { MaxUint256, ZeroAddress } from 'ethers'
import { type Chain, type Handle, people, startChain } from '../testing/chain.ts'
import { testTree } from '../testing/tree.ts'

const { operator, pauser, payee: agent, stranger } = people

describe('Card', () => {
  let chain: Chain
  let card: Handle

  before(async () => {
    chain = await startChain()
    card = chain.at('Card')
  })
  beforeEach(() => chain.reset())
  after(() => chain?.stop())

  const mint = (to = agent, tokenId = 7) => card.send(operator, 'mint', to, tokenId)

  testTree(import.meta.url, {
    mint: {
      'when the caller is not operator': () => card.send(agent, 'mint', agent, 7),
      'when entries are paused': async () => {
        await card.send(pauser, 'pause')
        await mint()
      },
      'when the number was minted before': async () => {
        await mint()
        await mint(stranger)
      },
      'when the wallet has a card': async () => {
        await mint()
        await mint(agent, 8)
      },
      'when the wallet is zero': () => mint(ZeroAddress),
      'it mints a locked token with its URI': async () => {
        const events = await mint()

        assert.deepEqual(
          events.map(e => [e.name, ...e.args]),
          [
            ['Transfer', ZeroAddress, agent, 7n],
            ['Locked', 7n],
          ],
        )
        assert.deepEqual([await card.read('ownerOf', 7), await card.read('cardOf', agent)], [agent, 7n])
        assert.equal(await card.read('tokenURI', 7), 'http://127.0.0.1:3000/api/cards/7')
      },
      'it does not mint a burnt number again': async () => {
        await mint()
        await card.send(operator, 'burn', 7)

        await assert.rejects(mint(), { reason: 'Once_AlreadyDone' })
      },
    },
    transferFrom: {
      'when its owner transfers': async () => {
        await mint()
        await card.send(agent, 'transferFrom', agent, stranger, 7)
      },
      'when an approved account transfers safely': async () => {
        await mint()
        await card.send(agent, 'approve', stranger, 7)
        await card.send(stranger, 'safeTransferFrom(address,address,uint256)', agent, stranger, 7)
      },
    },
    refresh: {
      'when the caller is not operator': () => card.send(agent, 'refresh', 7, 1),
      'when there is no such card': () => card.send(operator, 'refresh', 7, 1),
      'when the version does not rise': async () => {
        await mint()
        await card.send(operator, 'refresh', 7, 2)
        await card.send(operator, 'refresh', 7, 2)
      },
      'it notifies readers that the metadata changed': async () => {
        await mint()
        const [event] = await card.send(operator, 'refresh', 7, 2)

        assert.deepEqual([event?.name, ...(event?.args ?? [])], ['MetadataUpdate', 7n])
        assert.equal(await card.read('versionOf', 7), 2n)
      },
    },
    burn: {
      'when the caller is not operator': async () => {
        await mint()
        await card.send(agent, 'burn', 7)
      },
      'when there is no such card': () => card.send(operator, 'burn', 7),
      'it frees the wallet for another card while paused': async () => {
        await mint()
        await card.send(pauser, 'pause')
        await card.send(operator, 'burn', 7)
        await card.send(pauser, 'unpause')
        await mint(agent, 8)

        assert.equal(await card.read('cardOf', agent), 8n)
      },
    },
    setBaseUri: {
      'when the caller is the operator': () => card.send(operator, 'setBaseUri', 'ipfs://x/'),
      "it changes every token's URI": async () => {
        await mint()
        const events = await card.send(chain.addresses.Timelock, 'setBaseUri', 'ipfs://x/')

        assert.deepEqual(
          events.map(e => [e.name, ...e.args]),
          [
            ['BaseUriSet', 'ipfs://x/'],
            ['BatchMetadataUpdate', 0n, MaxUint256],
          ],
        )
        assert.equal(await card.read('tokenURI', 7), 'ipfs://x/7')
      },
    },
    locked: {
      'when there is no such card': () => card.read('locked', 7),
      'it says so for every card': async () => {
        await mint()

        assert.equal(await card.read('locked', 7), true)
      },
    },
    supportsInterface: {
      'it knows ERC-165, 721, 721 metadata, 5192 and 4906': async () => {
        for (const face of ['0x01ffc9a7', '0x80ac58cd', '0x5b5e139f', '0xb45a3c0e', '0x49064906']) {
          assert.equal(await card.read('supportsInterface', face), true, face)
        }
        assert.equal(await card.read('supportsInterface', '0xffffffff'), false)
      },
    },
  })
})
