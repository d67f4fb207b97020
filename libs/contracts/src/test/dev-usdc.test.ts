import assert from 'node:assert/strict'
import { type BaseWallet, id, MaxUint256, Signature, TypedDataEncoder, ZeroAddress } from 'ethers'
import { networkFacts } from '../address.ts'
import { permitFields } from '../authorization-fields.ts'
import { type Chain, type Handle, people, startChain, walletOf } from '../testing/chain.ts'
import { testTree } from '../testing/tree.ts'
import { balanceOf, domainOf, fund, key, type Movement, signMovement, usd } from '../testing/usdc.ts'

const { operator, poster: alice, payee: bob, stranger } = people
const owner = walletOf('owner')
const words = 'address,address,uint256,uint256,uint256,bytes32'
const forms = { vrs: 'uint8,bytes32,bytes32', bytes: 'bytes' }

describe('DevUSDC', () => {
  let chain: Chain
  let token: Handle

  before(async () => {
    chain = await startChain()
    token = chain.at('DevUSDC')
  })
  beforeEach(() => chain.reset())
  after(() => chain?.stop())

  type Form = keyof typeof forms
  const mint = (to: string, amount: bigint, by = operator) => token.send(by, 'mint', to, amount)
  const move = async (change: Partial<Movement> = {}): Promise<Movement> => {
    const now = await chain.now()
    return { from: owner.address, to: bob, value: usd(5), validAfter: 0n, validBefore: now + 600n, nonce: key(), ...change }
  }
  const parts = (signature: string, form: Form): unknown[] => {
    const { v, r, s } = Signature.from(signature)
    return form === 'vrs' ? [v, r, s] : [signature]
  }
  const moveSigned = async (
    kind: 'Transfer' | 'Receive',
    form: Form,
    movement: Movement,
    { by = stranger, signer = owner as BaseWallet, as = kind } = {},
  ) => {
    const signature = await signMovement(chain, signer, `${as}WithAuthorization`, movement)
    const { from, to, value, validAfter, validBefore, nonce } = movement
    const fn = `${kind.toLowerCase()}WithAuthorization(${words},${forms[form]})`
    return token.send(by, fn, from, to, value, validAfter, validBefore, nonce, ...parts(signature, form))
  }
  const transferSigned = async (form: Form, change: Partial<Movement> = {}, options = {}) => {
    await fund(chain, owner.address, usd(5))
    return moveSigned('Transfer', form, await move(change), options)
  }
  const permit = async (form: Form, deadline: bigint, signer: BaseWallet = owner, nonce = 0n) => {
    const message = { owner: owner.address, spender: bob, value: usd(5), nonce, deadline }
    const signature = await signer.signTypedData(await domainOf(chain), { Permit: permitFields }, message)
    const fn = `permit(address,address,uint256,uint256,${forms[form]})`
    return token.send(stranger, fn, owner.address, bob, usd(5), deadline, ...parts(signature, form))
  }
  const allowance = () => token.read('allowance', owner.address, bob)
  const cancel = async (form: Form, nonce: string, signer: BaseWallet = owner) => {
    const types = {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    }
    const signature = await signer.signTypedData(await domainOf(chain), types, { authorizer: owner.address, nonce })
    return token.send(stranger, `cancelAuthorization(address,bytes32,${forms[form]})`, owner.address, nonce, ...parts(signature, form))
  }
  const isUsed = (nonce: string) => token.read('authorizationState', owner.address, nonce)

  testTree(import.meta.url, {
    mint: {
      'when the caller is no faucet': () => mint(alice, 1n, alice),
      'when the receiver is zero': () => mint(ZeroAddress, 1n),
      'when the amount is zero': () => mint(alice, 0n),
      'it emits Mint and Transfer': async () => {
        const events = await mint(alice, 5n)

        assert.deepEqual(
          events.map(e => [e.name, ...e.args]),
          [
            ['Mint', operator, alice, 5n],
            ['Transfer', ZeroAddress, alice, 5n],
          ],
        )
        assert.equal(await token.read('totalSupply'), 5n)
      },
    },
    mintOnce: {
      'when the caller is no faucet': () => token.send(alice, 'mintOnce', alice, 1, id('request')),
      'when the request was served before': async () => {
        await token.send(operator, 'mintOnce', alice, 1, id('request'))
        await token.send(operator, 'mintOnce', alice, 1, id('request'))
      },
      'it mints': async () => {
        await token.send(operator, 'mintOnce', alice, 1, id('request'))

        assert.equal(await balanceOf(chain, alice), 1n)
      },
    },
    transfer: {
      'when the balance is too small': () => token.send(alice, 'transfer', bob, 1),
      'when the receiver is zero': () => token.send(alice, 'transfer', ZeroAddress, 0),
      'when the sender is zero': () => token.send(ZeroAddress, 'transfer', alice, 0),
      'it moves tokens': async () => {
        await mint(alice, 5n)
        await token.send(alice, 'transfer', bob, 2)

        assert.deepEqual([await balanceOf(chain, alice), await balanceOf(chain, bob)], [3n, 2n])
      },
    },
    transferFrom: {
      'when the allowance is too small': async () => {
        await fund(chain, alice, 5n, bob)
        await token.send(bob, 'transferFrom', alice, bob, 6)
      },
      'it uses the allowance up': async () => {
        await fund(chain, alice, 5n, bob)
        await token.send(bob, 'transferFrom', alice, bob, 5)

        assert.deepEqual([await balanceOf(chain, bob), await token.read('allowance', alice, bob)], [5n, 0n])
      },
    },
    approve: {
      'when the spender is zero': () => token.send(alice, 'approve', ZeroAddress, 1),
      'when the owner is zero': () => token.send(ZeroAddress, 'approve', alice, 1),
      'it sets the allowance': async () => {
        const [event] = await token.send(alice, 'approve', bob, 7)

        assert.deepEqual([event?.name, ...(event?.args ?? [])], ['Approval', alice, bob, 7n])
      },
    },
    increaseAllowance: {
      'it adds': async () => {
        await token.send(owner.address, 'approve', bob, 7)
        await token.send(owner.address, 'increaseAllowance', bob, 3)

        assert.equal(await allowance(), 10n)
      },
    },
    decreaseAllowance: {
      'when it would fall below zero': () => token.send(alice, 'decreaseAllowance', bob, 1),
      'it subtracts': async () => {
        await token.send(owner.address, 'approve', bob, 7)
        await token.send(owner.address, 'decreaseAllowance', bob, 3)

        assert.equal(await allowance(), 4n)
      },
    },
    permit: {
      'when the deadline has passed': async () => permit('vrs', (await chain.now()) - 1n),
      'when another signed': () => permit('vrs', MaxUint256, walletOf('another')),
      'when it was used before': async () => {
        await permit('vrs', MaxUint256)
        await permit('vrs', MaxUint256)
      },
      "it accepts ethers' signature as v, r, s": async () => {
        await permit('vrs', (await chain.now()) + 60n)

        assert.deepEqual([await allowance(), await token.read('nonces', owner.address)], [usd(5), 1n])
      },
      "it accepts ethers' signature as bytes": async () => {
        await permit('bytes', (await chain.now()) + 60n)

        assert.equal(await allowance(), usd(5))
      },
      'it never expires with the highest deadline': async () => {
        await permit('bytes', MaxUint256)

        assert.equal(await allowance(), usd(5))
      },
    },
    transferWithAuthorization: {
      'when it is not yet valid': async () => transferSigned('vrs', { validAfter: (await chain.now()) + 300n }),
      'when it is expired': async () => transferSigned('vrs', { validBefore: await chain.now() }),
      'when it was used before': async () => {
        const nonce = key()
        await transferSigned('vrs', { nonce })
        await transferSigned('bytes', { nonce })
      },
      'when another signed': () => transferSigned('vrs', {}, { signer: walletOf('another') }),
      'when a receive authorisation is given': () => transferSigned('bytes', {}, { as: 'Receive' }),
      'when the balance is too small': () => transferSigned('bytes', { value: usd(6) }),
      "it accepts ethers' signature as v, r, s from anybody": async () => {
        const nonce = key()
        const events = await transferSigned('vrs', { nonce })

        assert.deepEqual(
          events.map(e => [e.name, ...e.args]),
          [
            ['AuthorizationUsed', owner.address, nonce],
            ['Transfer', owner.address, bob, usd(5)],
          ],
        )
        assert.equal(await isUsed(nonce), true)
      },
      "it accepts ethers' signature as bytes from anybody": async () => {
        await transferSigned('bytes')

        assert.equal(await balanceOf(chain, bob), usd(5))
      },
      'it accepts random nonces in any order': async () => {
        for (const nonce of [MaxUint256, 0n, 2n ** 255n]) await transferSigned('bytes', { nonce: `0x${nonce.toString(16).padStart(64, '0')}` })

        assert.equal(await balanceOf(chain, bob), usd(15))
      },
      'it queries a contract wallet (ERC-1271)': async () => {
        const wallet = await contractWallet(chain)
        await fund(chain, wallet, usd(5))
        const { to, value, validAfter, validBefore, nonce } = await move()
        const fn = `transferWithAuthorization(${words},bytes)`
        await token.send(stranger, fn, wallet, to, value, validAfter, validBefore, nonce, '0x1234')

        assert.equal(await balanceOf(chain, bob), usd(5))
      },
    },
    receiveWithAuthorization: {
      'when the caller is not the payee': async () => moveSigned('Receive', 'bytes', await move()),
      'when the caller of the v, r, s form is not the payee': async () => moveSigned('Receive', 'vrs', await move()),
      "it accepts ethers' signature as v, r, s": async () => {
        await fund(chain, owner.address, usd(5))
        await moveSigned('Receive', 'vrs', await move(), { by: bob })

        assert.equal(await balanceOf(chain, bob), usd(5))
      },
      "it accepts ethers' signature as bytes": async () => {
        await fund(chain, owner.address, usd(5))
        await moveSigned('Receive', 'bytes', await move(), { by: bob })

        assert.equal(await balanceOf(chain, bob), usd(5))
      },
    },
    cancelAuthorization: {
      'when another signed': () => cancel('vrs', key(), walletOf('another')),
      'when it was used before': async () => {
        const nonce = key()
        await transferSigned('vrs', { nonce })
        await cancel('vrs', nonce)
      },
      "it accepts ethers' signature as v, r, s": async () => {
        const nonce = key()
        const [event] = await cancel('vrs', nonce)

        assert.deepEqual([event?.name, ...(event?.args ?? [])], ['AuthorizationCanceled', owner.address, nonce])
        assert.equal(await isUsed(nonce), true)
      },
      "it accepts ethers' signature as bytes, and the authorisation is void": async () => {
        const nonce = key()
        await cancel('bytes', nonce)

        await assert.rejects(transferSigned('bytes', { nonce }), { reason: 'FiatTokenV2: authorization is used or canceled' })
      },
    },
    DOMAIN_SEPARATOR: {
      'it is what ethers computes from the table of networks, on both of them': async () => {
        for (const { chainId, token: address } of Object.values(networkFacts)) {
          const chain = await startChain(chainId)
          try {
            const domain = { name: address.name, version: address.version, chainId, verifyingContract: address.address }

            assert.equal(await chain.at('DevUSDC').read('DOMAIN_SEPARATOR'), TypedDataEncoder.hashDomain(domain))
          } finally {
            await chain.stop()
          }
        }
      },
    },
    typehashes: {
      'it has those of the standards': async () => {
        assert.equal(await token.read('TRANSFER_WITH_AUTHORIZATION_TYPEHASH'), '0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267')
        assert.equal(await token.read('RECEIVE_WITH_AUTHORIZATION_TYPEHASH'), '0xd099cc98ef71107a616c4f0f941f04c322d8e254fe26b3c6668db87aae413de8')
        assert.equal(await token.read('CANCEL_AUTHORIZATION_TYPEHASH'), '0x158b0a9edf7a828aad02f63cd515c68ef2f50ba807396f6d12842833a1597429')
      },
    },
  })
})

/** A contract that answers every call with the magic value of ERC-1271. */
async function contractWallet(chain: Chain): Promise<string> {
  const runtime = `7f1626ba7e${'0'.repeat(56)}5f5260205ff3`
  const creation = `0x60${(runtime.length / 2).toString(16)}80600a5f395ff3`
  const { address } = await chain.create(stranger, `${creation.padEnd(2 + 20, '0')}${runtime}`, [])
  return address
}
