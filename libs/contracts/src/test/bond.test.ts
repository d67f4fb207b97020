import assert from 'node:assert/strict'
import { id, ZeroAddress, ZeroHash } from 'ethers'
import { type Chain, type Handle, people, startChain, walletOf } from '../testing/chain.ts'
import { testTree } from '../testing/tree.ts'
import { authorize, balanceOf, daySeconds, fund, key, usd } from '../testing/usdc.ts'

const { operator, oracle, pauser, payee: agent, stranger } = people
const gig = id('gig')
const once = id('bond event')

describe('Bond', () => {
  let chain: Chain
  let bond: Handle

  before(async () => {
    chain = await startChain()
    bond = chain.at('Bond')
  })
  beforeEach(() => chain.reset())
  after(() => chain?.stop())

  const paused = () => bond.send(pauser, 'pause')
  const deposit = async (amount = usd(100)) => {
    await fund(chain, agent, amount, bond.address)
    return bond.send(agent, 'deposit', amount)
  }
  const lock = (amount = usd(40), gigId = gig, lockId = key()) => bond.send(operator, 'lock', agent, gigId, amount, lockId)
  const unlock = (gigId = gig, unlockId = key()) => bond.send(operator, 'unlock', agent, gigId, unlockId)
  const slash = (amount: bigint, gigId: string = ZeroHash, slashId = key()) => bond.send(oracle, 'slash', agent, gigId, amount, slashId, id('reason'))
  const account = async () => {
    const { free, locked } = await bond.read('getAccount', agent)
    return [free, locked]
  }
  const signedDeposit = async (nonce: string, depositId = nonce) => {
    const custodial = walletOf('custodial')
    await fund(chain, custodial.address, usd(20))
    const auth = await authorize(chain, custodial, bond.address, usd(20), nonce)
    return bond.send(operator, 'depositWithAuthorization', agent, usd(20), depositId, auth)
  }
  const depositFor = async (depositId = key()) => {
    await fund(chain, agent, usd(20), bond.address)
    return bond.send(operator, 'depositFor', agent, usd(20), depositId)
  }

  testTree(import.meta.url, {
    deposit: {
      'when entries are paused': async () => {
        await paused()
        await deposit()
      },
      'when the amount is below 10 USDC': () => deposit(usd(10) - 1n),
      'when the caller allowed less': () => bond.send(agent, 'deposit', usd(10)),
      "it adds to the caller's free part": async () => {
        const [event] = await deposit(usd(10))

        assert.deepEqual([event?.name, ...(event?.args ?? [])], ['BondDeposited', agent, agent, usd(10)])
        assert.deepEqual(await account(), [usd(10), 0n])
        assert.equal(await bond.read('totalBonded'), usd(10))
        assert.equal(await balanceOf(chain, bond.address), usd(10))
      },
    },
    depositFor: {
      'when the caller is not operator': () => bond.send(stranger, 'depositFor', agent, usd(20), once),
      'when entries are paused': async () => {
        await paused()
        await depositFor()
      },
      'when the agent is zero': () => bond.send(operator, 'depositFor', ZeroAddress, usd(20), once),
      'when the id was used before': async () => {
        await depositFor(once)
        await depositFor(once)
      },
      "it spends the agent's allowance": async () => {
        await depositFor(once)

        assert.deepEqual(await account(), [usd(20), 0n])
        assert.equal(await bond.read('isDone', once), true)
      },
    },
    depositWithAuthorization: {
      'when the caller is not operator': () => bond.send(stranger, 'depositWithAuthorization', agent, usd(20), once, [agent, 0, 0, '0x']),
      'when entries are paused': async () => {
        await paused()
        await signedDeposit(once)
      },
      'when the nonce signed is not the id': () => signedDeposit(key(), once),
      'when the id was used before': async () => {
        await signedDeposit(once)
        await signedDeposit(once)
      },
      "it books the signer's tokens to the agent": async () => {
        await signedDeposit(once)

        assert.deepEqual(await account(), [usd(20), 0n])
        assert.equal(await balanceOf(chain, walletOf('custodial').address), 0n)
      },
    },
    withdraw: {
      'when the amount is zero': async () => {
        await deposit()
        await bond.send(agent, 'withdraw', 0)
      },
      'when the amount is above the free part': async () => {
        await deposit()
        await lock()
        await bond.send(agent, 'withdraw', usd(60) + 1n)
      },
      'it pays the agent while paused': async () => {
        await deposit()
        await lock()
        await paused()
        await bond.send(agent, 'withdraw', usd(60))

        assert.deepEqual(await account(), [0n, usd(40)])
        assert.equal(await balanceOf(chain, agent), usd(60))
        assert.equal(await bond.read('totalBonded'), usd(40))
      },
    },
    withdrawFor: {
      'when the caller is not operator': () => bond.send(agent, 'withdrawFor', agent, agent, 1, once),
      'when the receiver is zero': async () => {
        await deposit()
        await bond.send(operator, 'withdrawFor', agent, ZeroAddress, 1, once)
      },
      'when the id was used before': async () => {
        await deposit()
        await bond.send(operator, 'withdrawFor', agent, stranger, 1, once)
        await bond.send(operator, 'withdrawFor', agent, stranger, 1, once)
      },
      'when the amount is above the free part': () => bond.send(operator, 'withdrawFor', agent, stranger, 1, once),
      'it pays the bond wallet': async () => {
        await deposit()
        await paused()
        await bond.send(operator, 'withdrawFor', agent, stranger, usd(30), once)

        assert.equal(await balanceOf(chain, stranger), usd(30))
      },
    },
    lock: {
      'when the caller is not operator': () => bond.send(oracle, 'lock', agent, gig, 1, once),
      'when entries are paused': async () => {
        await deposit()
        await paused()
        await lock()
      },
      'when the amount is zero': () => lock(0n),
      'when the free part is too small': async () => {
        await deposit()
        await lock(usd(100) + 1n)
      },
      'when the gig is locked already': async () => {
        await deposit()
        await lock()
        await lock()
      },
      'when the id was used before': async () => {
        await deposit()
        await lock(1n, gig, once)
        await unlock()
        await lock(1n, gig, once)
      },
      'when the agent has 50 locks': async () => {
        await deposit()
        for (let i = 0; i < 51; i++) await lock(1n, key())
      },
      'it moves free to locked': async () => {
        await deposit()
        const [event] = await lock()

        assert.deepEqual([event?.name, ...(event?.args ?? [])], ['BondLocked', agent, gig, usd(40)])
        assert.deepEqual(await account(), [usd(60), usd(40)])
        assert.deepEqual([...(await bond.read('lockedGigs', agent))], [gig])
      },
      'it locks a gig again after its unlock': async () => {
        await deposit()
        await lock()
        await unlock()
        await lock()

        assert.deepEqual(await account(), [usd(60), usd(40)])
      },
    },
    unlock: {
      'when the caller is not operator': () => bond.send(agent, 'unlock', agent, gig, once),
      'when nothing is locked': () => unlock(),
      'when the id was used before': async () => {
        await deposit()
        await lock()
        await unlock(gig, once)
        await lock()
        await unlock(gig, once)
      },
      'it moves locked to free while paused': async () => {
        await deposit()
        await lock()
        await paused()
        const [event] = await unlock()

        assert.deepEqual([event?.name, ...(event?.args ?? [])], ['BondUnlocked', agent, gig, usd(40)])
        assert.deepEqual(await account(), [usd(100), 0n])
      },
      'it ends a lock that was slashed to nothing': async () => {
        await deposit()
        await lock()
        await slash(usd(40), gig)
        await unlock()

        assert.deepEqual([...(await bond.read('lockedGigs', agent))], [])
        assert.deepEqual(await account(), [usd(60), 0n])
      },
    },
    unlockAfterTimeout: {
      'when 180 days have not passed': async () => {
        await deposit()
        await lock()
        await chain.advance(180 * daySeconds - 60)
        await bond.send(stranger, 'unlockAfterTimeout', agent, gig)
      },
      'when nothing is locked': () => bond.send(stranger, 'unlockAfterTimeout', agent, gig),
      'it lets anybody free the lock while paused': async () => {
        await deposit()
        await lock()
        await paused()
        await chain.advance(180 * daySeconds)
        await bond.send(stranger, 'unlockAfterTimeout', agent, gig)

        assert.deepEqual(await account(), [usd(100), 0n])
      },
    },
    slash: {
      'when the caller is not oracle': () => bond.send(operator, 'slash', agent, gig, 1, once, ZeroHash),
      'when the amount is zero': () => slash(0n),
      'when the amount is above the bond': async () => {
        await deposit()
        await slash(usd(100) + 1n)
      },
      'when the id was used before': async () => {
        await deposit()
        await slash(1n, gig, once)
        await slash(1n, gig, once)
      },
      'it draws on the named lock alone while that suffices': async () => {
        const other = key()
        await deposit()
        await lock(usd(40), other)
        await lock(usd(40))
        const events = await slash(usd(8), gig, once)

        assert.deepEqual(
          events.filter(e => e.contract !== 'DevUSDC').map(e => [e.name, ...e.args]),
          [
            ['BondLockReduced', agent, gig, usd(8)],
            ['BondSlashed', once, agent, usd(8), usd(8), id('reason')],
          ],
        )
        assert.equal((await bond.read('getLock', agent, gig)).amount, usd(32))
        assert.equal((await bond.read('getLock', agent, other)).amount, usd(40))
      },
      'it draws on the named lock, then the others, then the free part': async () => {
        const other = key()
        await deposit()
        await lock(usd(40), other)
        await lock(usd(40))
        await slash(usd(90), gig)

        assert.deepEqual(await account(), [usd(10), 0n])
        assert.equal((await bond.read('getLock', agent, other)).amount, 0n)
      },
      'it sends the slash to the fee pool': async () => {
        await deposit()
        await paused()
        await slash(usd(30))

        assert.equal(await balanceOf(chain, chain.addresses.SwarmValidator), usd(30))
        assert.equal(await bond.read('totalBonded'), usd(70))
      },
    },
    unslash: {
      'when the caller is not oracle': () => bond.send(operator, 'unslash', once, 1),
      'when there was no such slash': () => bond.send(oracle, 'unslash', once, 1),
      'when it was reversed before': async () => {
        await deposit()
        await slash(usd(30), gig, once)
        await bond.send(oracle, 'unslash', once, usd(10))
        await bond.send(oracle, 'unslash', once, usd(10))
      },
      'when the amount is zero': async () => {
        await deposit()
        await slash(usd(30), gig, once)
        await bond.send(oracle, 'unslash', once, 0)
      },
      'when the amount is above the slash': async () => {
        await deposit()
        await slash(usd(30), gig, once)
        await bond.send(oracle, 'unslash', once, usd(30) + 1n)
      },
      'when the pool has spent it': async () => {
        await deposit()
        await slash(usd(30), gig, once)
        await chain.at('SwarmValidator').send(operator, 'payReward', key(), stranger, 1)
        await bond.send(oracle, 'unslash', once, usd(30))
      },
      'it returns the money to the free part': async () => {
        await deposit()
        await slash(usd(30), gig, once)
        const events = await bond.send(oracle, 'unslash', once, usd(30))

        assert.deepEqual(
          events.filter(e => e.contract !== 'DevUSDC').map(e => [e.name, ...e.args]),
          [
            ['BondUnslashed', once, agent, usd(30)],
            ['SlashReturned', once, usd(30)],
          ],
        )
        assert.deepEqual(await account(), [usd(100), 0n])
        assert.equal(await balanceOf(chain, bond.address), usd(100))
      },
    },
    pause: {
      'when the caller is not pauser': () => bond.send(operator, 'pause'),
    },
  })
})
