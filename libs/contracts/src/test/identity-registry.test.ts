import assert from 'node:assert/strict'
import { type BaseWallet, id, ZeroAddress } from 'ethers'
import { canonical } from '../address.ts'
import { type Chain, type Handle, people, startChain, walletOf } from '../testing/chain.ts'
import { testTree } from '../testing/tree.ts'

const { operator, pauser, payee: agent, stranger } = people
const uri = 'data:application/json;base64,e30='
const register = 'register(string)'
const registerWith = 'register(string,(string,bytes)[])'

describe('IdentityRegistry', () => {
  let chain: Chain
  let identity: Handle

  before(async () => {
    chain = await startChain()
    identity = chain.at('IdentityRegistry')
  })
  beforeEach(() => chain.reset())
  after(() => chain?.stop())

  const registered = () => identity.send(agent, register, uri)
  const wallet = () => identity.read('getAgentWallet', 0)
  const setWallet = async (signer: BaseWallet, newWallet: string, seconds: bigint, by = agent) => {
    const deadline = (await chain.now()) + seconds
    const domain = { name: 'ERC8004IdentityRegistry', version: '1', chainId: chain.chainId, verifyingContract: canonical.IdentityRegistry }
    const types = {
      AgentWalletSet: [
        { name: 'agentId', type: 'uint256' },
        { name: 'newWallet', type: 'address' },
        { name: 'owner', type: 'address' },
        { name: 'deadline', type: 'uint256' },
      ],
    }
    const signature = await signer.signTypedData(domain, types, { agentId: 0, newWallet, owner: agent, deadline })
    return identity.send(by, 'setAgentWallet', 0, newWallet, deadline, signature)
  }

  testTree(import.meta.url, {
    register: {
      'when entries are paused': async () => {
        await identity.send(pauser, 'pause')
        await registered()
      },
      'when an entry has the reserved key': () => identity.send(agent, registerWith, uri, [['agentWallet', '0x']]),
      'it emits Transfer, Registered and the wallet, in this order': async () => {
        const events = await identity.send(agent, 'register()')

        assert.deepEqual(
          events.map(e => e.name),
          ['Transfer', 'Registered', 'MetadataSet'],
        )
        assert.deepEqual([...(events[1]?.args ?? [])], [0n, '', agent])
        assert.deepEqual([...(events[2]?.args ?? [])].slice(2), ['agentWallet', agent.toLowerCase()])
      },
      'it stores the given metadata': async () => {
        await identity.send(agent, registerWith, uri, [
          ['a', '0x01'],
          ['b', '0x02'],
        ])

        assert.equal(await identity.read('getMetadata', 0, 'b'), '0x02')
        assert.equal(await identity.read('tokenURI', 0), uri)
      },
    },
    registerFor: {
      'when the caller is not operator': () => identity.send(agent, 'registerFor', agent, id('key'), uri),
      'when entries are paused': async () => {
        await identity.send(pauser, 'pause')
        await identity.send(operator, 'registerFor', agent, id('key'), uri)
      },
      'when the agent key is registered already': async () => {
        await identity.send(operator, 'registerFor', agent, id('key'), uri)
        await identity.send(operator, 'registerFor', stranger, id('key'), uri)
      },
      "it mints to the agent's wallet, which speaks for it": async () => {
        const events = await identity.send(operator, 'registerFor', agent, id('key'), uri)

        assert.deepEqual([...(events.find(e => e.name === 'AgentKeyRegistered')?.args ?? [])], [id('key'), 0n, agent])
        assert.deepEqual([await identity.read('ownerOf', 0), await wallet()], [agent, agent])
        assert.equal(await identity.read('isAuthorizedOrOwner', operator, 0), false)
      },
      'it counts ids from 0 and distinguishes id 0 from no id': async () => {
        await identity.send(operator, 'registerFor', agent, id('key'), uri)

        assert.deepEqual([...(await identity.read('agentOfKey', id('key')))], [true, 0n])
        assert.deepEqual([...(await identity.read('agentOfKey', id('other')))], [false, 0n])
      },
    },
    setAgentURI: {
      'when the caller is not authorised': async () => {
        await registered()
        await identity.send(operator, 'setAgentURI', 0, 'x')
      },
      'it changes the URI': async () => {
        await registered()
        const events = await identity.send(agent, 'setAgentURI', 0, 'https://x')

        assert.deepEqual([...(events.find(e => e.name === 'URIUpdated')?.args ?? [])], [0n, 'https://x', agent])
        assert.equal(await identity.read('tokenURI', 0), 'https://x')
      },
    },
    setMetadata: {
      'when the caller is not authorised': async () => {
        await registered()
        await identity.send(stranger, 'setMetadata', 0, 'a', '0x01')
      },
      'when the key is reserved': async () => {
        await registered()
        await identity.send(agent, 'setMetadata', 0, 'agentWallet', '0x01')
      },
      'it lets an operator of the owner write': async () => {
        await registered()
        await identity.send(agent, 'setApprovalForAll', stranger, true)
        await identity.send(stranger, 'setMetadata', 0, 'a', '0x01')

        assert.equal(await identity.read('getMetadata', 0, 'a'), '0x01')
      },
    },
    setAgentWallet: {
      'when the caller is not authorised': async () => {
        await registered()
        await setWallet(walletOf('new'), walletOf('new').address, 60n, stranger)
      },
      'when the wallet is zero': async () => {
        await registered()
        await setWallet(walletOf('new'), ZeroAddress, 60n)
      },
      'when the deadline has passed': async () => {
        await registered()
        await setWallet(walletOf('new'), walletOf('new').address, -60n)
      },
      'when the deadline is more than five minutes ahead': async () => {
        await registered()
        await setWallet(walletOf('new'), walletOf('new').address, 360n)
      },
      'when another than the new wallet signed': async () => {
        await registered()
        await setWallet(walletOf('old'), walletOf('new').address, 60n)
      },
      "it accepts the new wallet's EIP-712 signature as ethers makes it": async () => {
        await registered()
        await setWallet(walletOf('new'), walletOf('new').address, 240n)

        assert.equal(await wallet(), walletOf('new').address)
      },
    },
    unsetAgentWallet: {
      'when the caller is not authorised': async () => {
        await registered()
        await identity.send(stranger, 'unsetAgentWallet', 0)
      },
      'it clears the wallet': async () => {
        await registered()
        await identity.send(agent, 'unsetAgentWallet', 0)

        assert.equal(await wallet(), ZeroAddress)
      },
    },
    transferFrom: {
      'it clears the wallet of the former owner': async () => {
        await registered()
        await identity.send(agent, 'transferFrom', agent, stranger, 0)

        assert.deepEqual([await identity.read('ownerOf', 0), await wallet()], [stranger, ZeroAddress])
      },
    },
    isAuthorizedOrOwner: {
      'when there is no such agent': () => identity.read('isAuthorizedOrOwner', agent, 0),
      'it knows owner, approved and operators': async () => {
        await registered()
        await identity.send(agent, 'approve', stranger, 0)
        await identity.send(agent, 'setApprovalForAll', pauser, true)
        const answers = [agent, stranger, pauser, operator].map(account => identity.read('isAuthorizedOrOwner', account, 0))

        assert.deepEqual(await Promise.all(answers), [true, true, true, false])
      },
    },
    getVersion: {
      'it names token, version and interfaces': async () => {
        const names = ['name', 'symbol', 'getVersion'].map(fn => identity.read(fn))

        assert.deepEqual(await Promise.all(names), ['AgentIdentity', 'AGENT', '2.0.0'])
        assert.equal(await identity.read('supportsInterface', '0x80ac58cd'), true)
        assert.equal(await identity.read('supportsInterface', '0x7965db0b'), true)
      },
    },
  })
})
