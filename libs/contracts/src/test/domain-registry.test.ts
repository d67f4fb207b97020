import assert from 'node:assert/strict'
import { id, MaxUint256, namehash, ZeroAddress } from 'ethers'
import { type Chain, type Handle, people, startChain, walletOf } from '../testing/chain.ts'
import { testTree } from '../testing/tree.ts'
import { authorize, balanceOf, fund, key, usd } from '../testing/usdc.ts'

const { operator, pauser, poster: alice, payee: bob, stranger } = people
const token = BigInt(namehash('alice.molt'))
const node = namehash('alice.molt')

describe('DomainRegistry', () => {
  let chain: Chain
  let domains: Handle
  let ens: Handle
  let resolver: Handle

  before(async () => {
    chain = await startChain()
    domains = chain.at('DomainRegistry')
    ens = chain.at('EnsRegistry')
    resolver = chain.at('DomainResolver')
  })
  beforeEach(() => chain.reset())
  after(() => chain?.stop())

  const mint = (label = 'alice', tld = 'molt', to = alice, mintId = key()) =>
    domains.send(operator, 'mintFor', to, label, tld, [['carapace.agentId', 'agent-1']], mintId)
  const sell = async (sellId = key(), price = usd(8), allowed = price) => {
    await fund(chain, alice, allowed, domains.address)
    return domains.send(operator, 'sellFor', alice, 'alice', 'molt', [['url', 'https://alice']], sellId, price)
  }
  const sellSigned = async (sellId = key(), signedId = sellId) => {
    const payer = walletOf('custodial')
    await fund(chain, payer.address, usd(8))
    const signed = await authorize(chain, payer, domains.address, usd(8), signedId)
    return domains.send(operator, 'sellWithAuthorization', alice, 'alice', 'molt', [], sellId, usd(8), signed)
  }
  const transfer = (from = alice, transferId = key()) => domains.send(operator, 'transferFor', from, bob, token, transferId)
  const burn = (burnId = key()) => domains.send(operator, 'burnFor', token, burnId)
  const lockOut = () => domains.send(alice, 'lockOperator', token)
  const reverseName = (address: string) => resolver.read('name', namehash(`${address.slice(2).toLowerCase()}.addr.reverse`))

  testTree(import.meta.url, {
    mintFor: {
      'when the caller is not operator': () => domains.send(alice, 'mintFor', alice, 'alice', 'molt', [], key()),
      'when entries are paused': async () => {
        await domains.send(pauser, 'pause')
        await mint()
      },
      'when the id was used before': async () => {
        await mint('alice', 'molt', alice, id('mint'))
        await burn()
        await mint('alice', 'molt', alice, id('mint'))
      },
      'when the name is registered already': async () => {
        await mint()
        await mint('alice', 'molt', bob)
      },
      'when the extension is unknown': () => mint('alice', 'eth'),
      "when the extension is the registrar's own reverse node": () => mint('alice', 'reverse'),
      'when the label has two characters': () => mint('al'),
      'when the label has 33 characters': () => mint('a'.repeat(33)),
      'when the label has an upper-case character': () => mint('Alice'),
      'when the label begins with a hyphen': () => mint('-alice'),
      'when the label ends with a hyphen': () => mint('alice-'),
      'when the label has two hyphens in a row': () => mint('al--ice'),
      'when the owner is zero': () => mint('alice', 'molt', ZeroAddress),
      'it mints the namehash under each extension': async () => {
        for (const tld of ['molt', 'claw', 'shell', 'pinch', 'agent']) {
          const full = `a-1.${tld}`.padStart(tld.length + 33, 'b')
          const label = full.split('.')[0] ?? ''
          const events = await mint(label, tld)

          const minted = events.find(e => e.name === 'DomainMinted')
          assert.deepEqual([...(minted?.args ?? [])], [BigInt(namehash(full)), alice, id(label), full])
          assert.equal(await domains.read('tokenURI', namehash(full)), `http://127.0.0.1:3000/api/domains/${full}`)
        }
      },
      'it mints a burnt name again': async () => {
        await mint()
        await burn()
        await mint('alice', 'molt', bob)

        assert.deepEqual([await domains.read('ownerOf', token), await resolver.read('addr(bytes32)', node)], [bob, bob])
      },
    },
    sellFor: {
      'when the caller is not operator': () => domains.send(alice, 'sellFor', alice, 'alice', 'molt', [], key(), usd(8)),
      'when entries are paused': async () => {
        await domains.send(pauser, 'pause')
        await sell()
      },
      'when the id was used before': async () => {
        await sell(id('sale'))
        await burn()
        await sell(id('sale'))
      },
      'when the price is zero': () => sell(key(), 0n, usd(1)),
      'when the owner allowed less': () => sell(key(), usd(8), usd(7)),
      'when the name is registered already': async () => {
        await mint('alice', 'molt', bob)
        await sell()
      },
      'it mints the name and pulls its price': async () => {
        const events = await sell()

        assert.deepEqual([...(events.find(e => e.name === 'DomainSold')?.args ?? [])], [token, alice, usd(8)])
        assert.deepEqual([await domains.read('ownerOf', token), await resolver.read('text', node, 'url')], [alice, 'https://alice'])
        assert.deepEqual([await balanceOf(chain, domains.address), await balanceOf(chain, alice)], [usd(8), 0n])
        assert.equal(await domains.read('totalSales'), usd(8))
      },
    },
    sellWithAuthorization: {
      'when the caller is not operator': () =>
        domains.send(alice, 'sellWithAuthorization', alice, 'alice', 'molt', [], key(), usd(8), [alice, 0, 0, '0x']),
      'when the nonce signed is not the id': () => sellSigned(key(), key()),
      'when the name is registered already': async () => {
        await mint()
        await sellSigned()
      },
      'it mints the name to its owner and pulls its price from the signer': async () => {
        await sellSigned()

        assert.equal(await domains.read('ownerOf', token), alice)
        assert.deepEqual([await balanceOf(chain, domains.address), await balanceOf(chain, walletOf('custodial').address)], [usd(8), 0n])
      },
    },
    withdrawIncome: {
      'when the caller is the operator': () => domains.send(operator, 'withdrawIncome', bob, 1n),
      'it pays out what names have earned': async () => {
        await sell()
        await domains.send(chain.addresses.Timelock, 'withdrawIncome', bob, usd(5))

        assert.deepEqual([await balanceOf(chain, bob), await balanceOf(chain, domains.address)], [usd(5), usd(3)])
        assert.equal(await domains.read('totalSales'), usd(8))
      },
    },
    transferFor: {
      'when the caller is not operator': async () => {
        await mint()
        await domains.send(stranger, 'transferFor', alice, bob, token, key())
      },
      'when the owner locked the operator out': async () => {
        await mint()
        await lockOut()
        await transfer()
      },
      'when the id was used before': async () => {
        await mint()
        await transfer(alice, id('transfer'))
        await domains.send(bob, 'transferFrom', bob, alice, token)
        await transfer(alice, id('transfer'))
      },
      'when the sender is not the owner': async () => {
        await mint()
        await transfer(stranger)
      },
      'it moves the name, its node, and forgets its records': async () => {
        await mint()
        await resolver.send(alice, 'setAddr(bytes32,address)', node, stranger)
        await transfer()

        assert.deepEqual([await domains.read('ownerOf', token), await ens.read('owner', node)], [bob, bob])
        assert.equal(await resolver.read('addr(bytes32)', node), bob)
        assert.equal(await resolver.read('text', node, 'carapace.agentId'), '')
        assert.deepEqual([await domains.read('primaryOf', alice), await reverseName(alice)], [0n, ''])
      },
      'it becomes the primary name of a receiver without one': async () => {
        await mint()
        await transfer()

        assert.deepEqual([await domains.read('primaryOf', bob), await reverseName(bob)], [token, 'alice.molt'])
      },
      'it leaves a receiver the primary name it has': async () => {
        await mint('second', 'claw', bob)
        await mint()
        await transfer()

        assert.equal(await reverseName(bob), 'second.claw')
      },
    },
    burnFor: {
      'when the caller is not operator': async () => {
        await mint()
        await domains.send(alice, 'burnFor', token, key())
      },
      'when the owner locked the operator out': async () => {
        await mint()
        await lockOut()
        await burn()
      },
      'when the id was used before': async () => {
        await mint()
        await burn(id('burn'))
        await mint()
        await burn(id('burn'))
      },
      'when there is no such name': () => burn(),
      'it frees name, node and reverse record': async () => {
        await mint()
        const events = await burn()

        assert.deepEqual([...(events.find(e => e.name === 'DomainBurned')?.args ?? [])], [token, alice, 'alice.molt'])
        assert.deepEqual([await ens.read('owner', node), await ens.read('resolver', node)], [ZeroAddress, ZeroAddress])
        assert.deepEqual([await domains.read('resolve', 'alice.molt'), await reverseName(alice)], [ZeroAddress, ''])
      },
    },
    transferFrom: {
      'it lets the owner move a name although the operator is locked out': async () => {
        await mint()
        await lockOut()
        await domains.send(alice, 'transferFrom', alice, bob, token)

        assert.deepEqual([await ens.read('owner', node), await domains.read('isOperatorLocked', token)], [bob, true])
        assert.deepEqual([await reverseName(alice), await reverseName(bob)], ['', 'alice.molt'])
      },
    },
    lockOperator: {
      'when the caller is not the owner': async () => {
        await mint()
        await domains.send(bob, 'lockOperator', token)
      },
      'when it is locked already': async () => {
        await mint()
        await lockOut()
        await lockOut()
      },
      'it emits OperatorLocked': async () => {
        await mint()
        const [event] = await lockOut()

        assert.deepEqual([event?.name, event?.args[0]], ['OperatorLocked', token])
      },
    },
    unlockOperator: {
      'when the caller is not the owner': async () => {
        await mint()
        await lockOut()
        await domains.send(operator, 'unlockOperator', token)
      },
      'when it is not locked': async () => {
        await mint()
        await domains.send(alice, 'unlockOperator', token)
      },
      'it lets the operator in again': async () => {
        await mint()
        await lockOut()
        await domains.send(alice, 'unlockOperator', token)
        await transfer()

        assert.equal(await domains.read('ownerOf', token), bob)
      },
    },
    setPrimaryName: {
      'when the caller is not the owner': async () => {
        await mint()
        await domains.send(bob, 'setPrimaryName', token)
      },
      'it changes what the address is called': async () => {
        await mint()
        await mint('second')
        assert.equal(await reverseName(alice), 'alice.molt')

        await domains.send(alice, 'setPrimaryName', namehash('second.molt'))

        assert.equal(await reverseName(alice), 'second.molt')
      },
    },
    setBaseUri: {
      'when the caller is the operator': () => domains.send(operator, 'setBaseUri', 'ipfs://x/'),
      "it changes every token's URI": async () => {
        await mint()
        const events = await domains.send(chain.addresses.Timelock, 'setBaseUri', 'ipfs://x/')

        assert.deepEqual(
          events.map(e => [e.name, ...e.args]),
          [
            ['BaseUriSet', 'ipfs://x/'],
            ['BatchMetadataUpdate', 0n, MaxUint256],
          ],
        )
        assert.equal(await domains.read('tokenURI', token), 'ipfs://x/alice.molt')
      },
    },
    resolve: {
      'it knows owners by full name': async () => {
        await mint()

        assert.deepEqual([await domains.read('resolve', 'alice.molt'), await domains.read('resolve', '')], [alice, ZeroAddress])
        assert.equal(await domains.read('tokenIdOf', 'alice', 'molt'), token)
      },
    },
    nameOf: {
      'when there is no such name': () => domains.read('nameOf', token),
    },
    supportsInterface: {
      'it knows ERC-721, its metadata and ERC-4906': async () => {
        for (const face of ['0x80ac58cd', '0x5b5e139f', '0x49064906', '0x01ffc9a7']) assert.equal(await domains.read('supportsInterface', face), true)
      },
    },
  })
})
