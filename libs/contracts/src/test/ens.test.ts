import assert from 'node:assert/strict'
import { EnsPlugin, id, JsonRpcProvider, Network, namehash } from 'ethers'
import { type Chain, type Handle, people, startChain } from '../testing/chain.ts'
import { testTree } from '../testing/tree.ts'
import { key } from '../testing/usdc.ts'

const { operator, poster: alice, payee: bob, stranger } = people
const node = namehash('alice.molt')
const sub = namehash('sub.alice.molt')

describe('EnsRegistry and DomainResolver', () => {
  let chain: Chain
  let ens: Handle
  let resolver: Handle
  let provider: JsonRpcProvider

  before(async () => {
    chain = await startChain()
    ens = chain.at('EnsRegistry')
    resolver = chain.at('DomainResolver')
    const network = new Network('base-sepolia', 84532)
    network.attachPlugin(new EnsPlugin(ens.address, 84532))
    provider = new JsonRpcProvider(chain.rpcUrl, network, { staticNetwork: network, batchMaxCount: 1, cacheTimeout: -1 })
  })
  beforeEach(async () => {
    await chain.reset()
    await chain.at('DomainRegistry').send(operator, 'mintFor', alice, 'alice', 'molt', [['url', 'https://alice']], key())
  })
  after(async () => {
    provider?.destroy()
    await chain?.stop()
  })

  const subnode = (by = alice) => ens.send(by, 'setSubnodeOwner', node, id('sub'), bob)
  const record = (by = alice) => ens.send(by, 'setSubnodeRecord', node, id('sub'), bob, resolver.address, 60)
  const setEth = (by: string, value: string) => resolver.send(by, 'setAddr(bytes32,uint256,bytes)', node, 60, value)

  testTree(import.meta.url, {
    'EnsRegistry.setOwner': {
      'when the caller does not own the node': () => ens.send(operator, 'setOwner', node, bob),
      'it gives the node away': async () => {
        await ens.send(alice, 'setOwner', node, bob)

        assert.deepEqual([await ens.read('owner', node), await ens.read('recordExists', node)], [bob, true])
      },
    },
    'EnsRegistry.setSubnodeOwner': {
      'when the caller does not own the parent': () => subnode(bob),
      'it makes a subnode': async () => {
        const [event] = await subnode()

        assert.deepEqual([event?.name, ...(event?.args ?? [])], ['NewOwner', node, id('sub'), bob])
        assert.equal(await ens.read('owner', sub), bob)
      },
    },
    'EnsRegistry.setSubnodeRecord': {
      'when the caller does not own the parent': () => record(bob),
      'it sets owner, resolver and time to live': async () => {
        const events = await record()

        assert.deepEqual(
          events.map(e => e.name),
          ['NewOwner', 'NewResolver', 'NewTTL'],
        )
        assert.deepEqual([await ens.read('resolver', sub), await ens.read('ttl', sub)], [resolver.address, 60n])
      },
    },
    'EnsRegistry.setResolver': {
      'when the caller does not own the node': () => ens.send(bob, 'setResolver', node, bob),
      'it changes the resolver': async () => {
        await ens.send(alice, 'setResolver', node, stranger)

        assert.equal(await ens.read('resolver', node), stranger)
      },
    },
    'EnsRegistry.setTTL': {
      'when the caller does not own the node': () => ens.send(bob, 'setTTL', node, 1),
      'it changes the time to live': async () => {
        await ens.send(alice, 'setTTL', node, 99)

        assert.equal(await ens.read('ttl', node), 99n)
      },
    },
    'EnsRegistry.setApprovalForAll': {
      'it lets another write': async () => {
        await ens.send(alice, 'setApprovalForAll', bob, true)
        await resolver.send(bob, 'setText', node, 'avatar', 'x')
        await ens.send(bob, 'setOwner', node, bob)

        assert.deepEqual([await ens.read('isApprovedForAll', alice, bob), await ens.read('owner', node)], [true, bob])
      },
    },
    'DomainResolver.setAddr': {
      'when the caller does not own the node': () => resolver.send(bob, 'setAddr(bytes32,address)', node, bob),
      'when an Ethereum address has not 20 bytes': () => setEth(alice, '0x1234'),
      'it sets the address that the name resolves to': async () => {
        await resolver.send(alice, 'setAddr(bytes32,address)', node, bob)
        assert.equal(await resolver.read('addr(bytes32)', node), bob)

        await setEth(alice, '0x')
        assert.equal(await resolver.read('addr(bytes32,uint256)', node, 60), alice.toLowerCase())
      },
      'it sets addresses of other coins': async () => {
        await resolver.send(alice, 'setAddr(bytes32,uint256,bytes)', node, 0, '0x1234')

        assert.equal(await resolver.read('addr(bytes32,uint256)', node, 0), '0x1234')
      },
    },
    'DomainResolver.setName': {
      'when the caller does not own the node': () => resolver.send(bob, 'setName', node, 'x'),
      'it sets the name': async () => {
        await resolver.send(alice, 'setName', node, 'x')

        assert.equal(await resolver.read('name', node), 'x')
      },
    },
    'DomainResolver.setText': {
      'when the caller does not own the node': () => resolver.send(bob, 'setText', node, 'url', 'x'),
      'it sets a text': async () => {
        await resolver.send(alice, 'setText', node, 'url', 'https://b')

        assert.equal(await resolver.read('text', node, 'url'), 'https://b')
      },
    },
    'DomainResolver.setContenthash': {
      'when the caller does not own the node': () => resolver.send(bob, 'setContenthash', node, '0x'),
      'it sets the hash': async () => {
        await resolver.send(alice, 'setContenthash', node, '0xe301')

        assert.equal(await resolver.read('contenthash', node), '0xe301')
      },
    },
    'DomainResolver.clearRecords': {
      'when the caller does not own the node': () => resolver.send(bob, 'clearRecords', node),
      'it forgets all records': async () => {
        await resolver.send(alice, 'clearRecords', node)

        assert.deepEqual([await resolver.read('text', node, 'url'), await resolver.read('recordVersions', node)], ['', 1n])
      },
    },
    'DomainResolver.supportsInterface': {
      'it knows addr, multicoin addr, name, text and contenthash': async () => {
        for (const face of ['0x01ffc9a7', '0x3b3b57de', '0xf1cb7e06', '0x691f3431', '0x59d1d43c', '0xbc1c58d1']) {
          assert.equal(await resolver.read('supportsInterface', face), true, face)
        }
      },
    },
    ethers: {
      'it resolves a name, in upper or lower case': async () => assert.equal(await provider.resolveName('Alice.molt'), alice),
      'it reads texts': async () => assert.equal(await (await provider.getResolver('alice.molt'))?.getText('url'), 'https://alice'),
      'it resolves an address to its name': async () => assert.equal(await provider.lookupAddress(alice), 'alice.molt'),
      'it finds nothing for a free name': async () => assert.equal(await provider.resolveName('free.molt'), null),
    },
  })
})
