import assert from 'node:assert/strict'
import { id, ZeroAddress, ZeroHash } from 'ethers'
import { type Chain, type Event, type Handle, people, startChain, walletOf } from '../testing/chain.ts'
import { testTree } from '../testing/tree.ts'
import { authorize, balanceOf, daySeconds, fund, key, signMovement, usd } from '../testing/usdc.ts'

const { operator, oracle, facilitator, pauser, proposer, poster, payee, stranger } = people
const gig = id('gig')
const amount = usd(100)
const Status = { None: 0n, Pending: 1n, Locked: 2n, Disputed: 3n, Released: 4n, Refunded: 5n }

describe('Escrow', () => {
  let chain: Chain
  let escrow: Handle
  let slot: string

  before(async () => {
    chain = await startChain()
    escrow = chain.at('Escrow')
    slot = await escrow.read('slotOf', gig, poster)
  })
  beforeEach(() => chain.reset())
  after(() => chain?.stop())

  const paused = () => escrow.send(pauser, 'pause')
  const directLock = async (by = poster, to: string = ZeroAddress, value = amount) => {
    await fund(chain, by, value, escrow.address)
    return escrow.send(by, 'lockUSDC', gig, to, value)
  }
  const lock = async (to: string = payee, value = amount, gigId = gig) => {
    await fund(chain, poster, value, escrow.address)
    return escrow.send(operator, 'lockFor', gigId, poster, to, value)
  }
  const status = async () => (await escrow.read('getLock', slot)).status
  const release = (fee = 0n, splitTo: string = ZeroAddress, split = 0n) => escrow.send(operator, 'release', slot, fee, splitTo, split)
  const fillTo = async (left: bigint) => {
    await fund(chain, poster, usd(500_000), escrow.address)
    for (let i = 0; i < 10; i++) await escrow.send(operator, 'lockFor', key(), poster, payee, usd(50_000) - (i === 9 ? left : 0n))
  }
  const of = (events: Event[], name: string) => events.filter(e => e.name === name).map(e => [...e.args])

  testTree(import.meta.url, {
    lockUSDC: {
      'when entries are paused': async () => {
        await paused()
        await directLock()
      },
      'when the amount is below 1 USDC': () => directLock(poster, payee, usd(1) - 1n),
      'when the amount is above the cap of a gig': () => directLock(poster, payee, usd(50_000) + 1n),
      'when the payee is the caller': () => directLock(poster, poster),
      'when the caller has locked this gig before': async () => {
        await directLock()
        await directLock()
      },
      'when the caller allowed less': () => escrow.send(poster, 'lockUSDC', gig, payee, amount),
      'it leaves the lock pending and outside the total': async () => {
        await directLock()

        assert.equal(await status(), Status.Pending)
        assert.equal(await escrow.read('totalPending'), amount)
        assert.equal(await escrow.read('totalLocked'), 0n)
        assert.equal(await balanceOf(chain, escrow.address), amount)
      },
      'it emits EscrowLocked': async () => {
        const events = await directLock(poster, payee)

        assert.deepEqual(of(events, 'EscrowLocked'), [[gig, poster, payee, amount]])
        assert.deepEqual(of(events, 'EscrowAccepted'), [])
      },
      'it leaves the gig to others: each poster has its own slot': async () => {
        await directLock(stranger)
        await lock()

        assert.equal(await status(), Status.Locked)
      },
    },
    lockFor: {
      'when the caller is not operator': () => escrow.send(stranger, 'lockFor', gig, poster, payee, amount),
      'when entries are paused': async () => {
        await paused()
        await lock()
      },
      'when the poster is zero': () => escrow.send(operator, 'lockFor', gig, ZeroAddress, payee, amount),
      'when the amount is below 0.001 USDC': () => lock(payee, 999n),
      'when the total would pass the cap': async () => {
        await fillTo(amount - 1n)
        await lock()
      },
      'when the slot was released before': async () => {
        await lock()
        await release()
        await lock()
      },
      "it locks and accepts from the poster's allowance": async () => {
        const events = await lock()

        assert.deepEqual(of(events, 'EscrowAccepted'), [[slot, gig, amount]])
        assert.equal(await status(), Status.Locked)
        assert.equal(await escrow.read('totalLocked'), amount)
        assert.equal(await escrow.read('tvlCapacity'), usd(500_000) - amount)
        assert.equal((await escrow.read('getLock', slot)).refundTo, poster)
      },
    },
    lockWithAuthorization: {
      'when the caller is not operator': () => escrow.send(stranger, 'lockWithAuthorization', gig, poster, payee, amount, [poster, 0, 0, '0x']),
      'when entries are paused': async () => {
        await paused()
        await escrow.send(operator, 'lockWithAuthorization', gig, poster, payee, amount, [poster, 0, 0, '0x'])
      },
      'when the nonce signed is not the slot': async () => {
        const custodial = walletOf('custodial')
        await fund(chain, custodial.address, amount)
        const auth = await authorize(chain, custodial, escrow.address, amount, key())
        await escrow.send(operator, 'lockWithAuthorization', gig, poster, payee, amount, auth)
      },
      'it locks for the poster and refunds to the signer': async () => {
        const custodial = walletOf('custodial')
        await fund(chain, custodial.address, amount)
        const auth = await authorize(chain, custodial, escrow.address, amount, slot)

        await escrow.send(operator, 'lockWithAuthorization', gig, poster, payee, amount, auth)
        await escrow.send(operator, 'refund', slot)

        assert.equal(await balanceOf(chain, custodial.address), amount)
        assert.equal(await status(), Status.Refunded)
      },
      "it does not accept the plain transfer's signature": async () => {
        const custodial = walletOf('custodial')
        await fund(chain, custodial.address, amount)
        const validBefore = (await chain.now()) + 3_600n
        const move = { from: custodial.address, to: escrow.address, value: amount, validAfter: 0n, validBefore, nonce: slot }
        const signature = await signMovement(chain, custodial, 'TransferWithAuthorization', move)

        await assert.rejects(
          escrow.send(operator, 'lockWithAuthorization', gig, poster, payee, amount, [custodial.address, 0n, validBefore, signature]),
          { reason: 'FiatTokenV2: invalid signature' },
        )
      },
    },
    lockUSDCViaX402: {
      'when the caller is not facilitator': () => escrow.send(operator, 'lockUSDCViaX402', gig, poster, payee, amount),
      'when entries are paused': async () => {
        await paused()
        await escrow.send(facilitator, 'lockUSDCViaX402', gig, poster, payee, amount)
      },
      'when the slot is in use': async () => {
        await lock()
        await escrow.send(facilitator, 'lockUSDCViaX402', gig, poster, payee, amount)
      },
      "it collects the facilitator's tokens and refunds to the poster": async () => {
        await fund(chain, facilitator, amount, escrow.address)

        await escrow.send(facilitator, 'lockUSDCViaX402', gig, poster, ZeroAddress, amount)
        await escrow.send(operator, 'refund', slot)

        assert.equal(await balanceOf(chain, facilitator), 0n)
        assert.equal(await balanceOf(chain, poster), amount)
      },
    },
    accept: {
      'when the caller is not operator': () => escrow.send(poster, 'accept', slot, amount),
      'when entries are paused': async () => {
        await directLock()
        await paused()
        await escrow.send(operator, 'accept', slot, amount)
      },
      'when nothing is pending': () => escrow.send(operator, 'accept', slot, amount),
      'when it names another amount': async () => {
        await directLock()
        await escrow.send(operator, 'accept', slot, amount + 1n)
      },
      'when the total would pass the cap': async () => {
        await fillTo(amount - 1n)
        await directLock()
        await escrow.send(operator, 'accept', slot, amount)
      },
      'when it was accepted before': async () => {
        await directLock()
        await escrow.send(operator, 'accept', slot, amount)
        await escrow.send(operator, 'accept', slot, amount)
      },
      'it counts the lock': async () => {
        await directLock()

        const events = await escrow.send(operator, 'accept', slot, amount)

        assert.deepEqual(of(events, 'EscrowAccepted'), [[slot, gig, amount]])
        assert.deepEqual([await escrow.read('totalPending'), await escrow.read('totalLocked')], [0n, amount])
      },
    },
    setPayee: {
      'when the caller is not operator': () => escrow.send(poster, 'setPayee', slot, payee, amount),
      'when the payee is zero': async () => {
        await lock()
        await escrow.send(operator, 'setPayee', slot, ZeroAddress, amount)
      },
      'when the payee is the poster': async () => {
        await lock()
        await escrow.send(operator, 'setPayee', slot, poster, amount)
      },
      'when the payee is set already': async () => {
        await lock()
        await escrow.send(operator, 'setPayee', slot, payee, amount)
      },
      'when it names another amount': async () => {
        await lock(ZeroAddress)
        await escrow.send(operator, 'setPayee', slot, payee, amount - 1n)
      },
      'when the slot is released': async () => {
        await lock()
        await release()
        await escrow.send(operator, 'setPayee', slot, stranger, amount)
      },
      'when it would accept while paused': async () => {
        await directLock()
        await paused()
        await escrow.send(operator, 'setPayee', slot, payee, amount)
      },
      'it sets the payee of a lock, also while paused': async () => {
        await lock(ZeroAddress)
        await paused()

        const events = await escrow.send(operator, 'setPayee', slot, payee, amount)

        assert.deepEqual(of(events, 'PayeeSet'), [[slot, gig, payee]])
      },
      'it accepts a pending lock': async () => {
        await directLock()

        const events = await escrow.send(operator, 'setPayee', slot, payee, amount)

        assert.deepEqual(
          events.map(e => e.name),
          ['EscrowAccepted', 'PayeeSet'],
        )
      },
    },
    release: {
      'when the caller is not operator': async () => {
        await lock()
        await escrow.send(stranger, 'release', slot, 0, ZeroAddress, 0)
      },
      'when the slot is only pending': async () => {
        await directLock(poster, payee)
        await release()
      },
      'when it was released before': async () => {
        await lock()
        await release()
        await release()
      },
      'when it was refunded before': async () => {
        await lock()
        await escrow.send(operator, 'refund', slot)
        await release()
      },
      'when nobody is payee': async () => {
        await lock(ZeroAddress)
        await release()
      },
      'when the fee is above 10 %': async () => {
        await lock()
        await release(usd(10) + 1n)
      },
      'when the split is above half of the net': async () => {
        await lock()
        await release(usd(10), stranger, usd(45) + 1n)
      },
      'when a split has no receiver': async () => {
        await lock()
        await release(0n, ZeroAddress, 1n)
      },
      'when a receiver has no split': async () => {
        await lock()
        await release(0n, stranger, 0n)
      },
      'it pays fee pool, split and payee together, to the last unit': async () => {
        await lock(payee, 100_000_001n)

        const events = await release(3_000_000n, stranger, 48_500_000n)

        assert.deepEqual(of(events, 'EscrowReleased'), [[gig, payee, 97_000_001n, 3_000_000n, stranger, 48_500_000n]])
        assert.equal(await balanceOf(chain, chain.addresses.SwarmValidator), 3_000_000n)
        assert.equal(await balanceOf(chain, stranger), 48_500_000n)
        assert.equal(await balanceOf(chain, payee), 48_500_001n)
        assert.deepEqual([await status(), await escrow.read('totalLocked')], [Status.Released, 0n])
      },
      'it pays a disputed slot': async () => {
        await lock()
        await escrow.send(operator, 'dispute', slot)
        await release()

        assert.equal(await balanceOf(chain, payee), amount)
      },
      'it pays while paused': async () => {
        await lock()
        await paused()
        await release()

        assert.equal(await balanceOf(chain, payee), amount)
      },
    },
    refund: {
      'when the caller is not operator': async () => {
        await lock()
        await escrow.send(poster, 'refund', slot)
      },
      'when the slot is only pending': async () => {
        await directLock()
        await escrow.send(operator, 'refund', slot)
      },
      'when it was released before': async () => {
        await lock()
        await release()
        await escrow.send(operator, 'refund', slot)
      },
      'when the slot is marked approved': async () => {
        await lock()
        await escrow.send(operator, 'markApproved', slot)
        await escrow.send(operator, 'refund', slot)
      },
      'it pays everything back while paused': async () => {
        await lock()
        await paused()

        const events = await escrow.send(operator, 'refund', slot)

        assert.deepEqual(of(events, 'EscrowRefunded'), [[gig, slot, poster, amount]])
        assert.equal(await balanceOf(chain, poster), amount)
        assert.deepEqual([await status(), await escrow.read('totalLocked')], [Status.Refunded, 0n])
      },
    },
    dispute: {
      'when the caller is not operator': async () => {
        await lock()
        await escrow.send(poster, 'dispute', slot)
      },
      'when it is disputed already': async () => {
        await lock()
        await escrow.send(operator, 'dispute', slot)
        await escrow.send(operator, 'dispute', slot)
      },
      'it marks the slot': async () => {
        await lock()

        const events = await escrow.send(operator, 'dispute', slot)

        assert.deepEqual(of(events, 'EscrowDisputed'), [[slot, gig]])
        assert.equal(await status(), Status.Disputed)
      },
    },
    markApproved: {
      'when the caller is not operator': async () => {
        await lock()
        await escrow.send(payee, 'markApproved', slot)
      },
      'when the slot is empty': () => escrow.send(operator, 'markApproved', slot),
      'when nobody is payee': async () => {
        await lock(ZeroAddress)
        await escrow.send(operator, 'markApproved', slot)
      },
      'when it is marked already': async () => {
        await lock()
        await escrow.send(operator, 'markApproved', slot)
        await escrow.send(operator, 'markApproved', slot)
      },
      'it marks the slot': async () => {
        await lock()

        const events = await escrow.send(operator, 'markApproved', slot)

        assert.deepEqual(of(events, 'EscrowApproved'), [[slot, gig]])
        assert.equal((await escrow.read('getLock', slot)).approved, true)
      },
    },
    reclaim: {
      'when nothing is pending': () => escrow.send(poster, 'reclaim', slot),
      'when the lock was accepted': async () => {
        await directLock()
        await escrow.send(operator, 'accept', slot, amount)
        await escrow.send(poster, 'reclaim', slot)
      },
      'when the caller is not the depositor': async () => {
        await directLock()
        await escrow.send(stranger, 'reclaim', slot)
      },
      'it pays back while paused and frees the slot': async () => {
        await directLock()
        await paused()

        const events = await escrow.send(poster, 'reclaim', slot)

        assert.deepEqual(of(events, 'EscrowReclaimed'), [[slot, gig, poster, amount]])
        assert.equal(await balanceOf(chain, poster), amount)
        assert.equal(await status(), Status.None)
        await escrow.send(pauser, 'unpause')
        await directLock()
      },
    },
    refundAfterTimeout: {
      'when the slot is empty': () => escrow.send(stranger, 'refundAfterTimeout', slot),
      'when 180 days have not passed': async () => {
        await lock()
        await chain.advance(180 * daySeconds - 60)
        await escrow.send(stranger, 'refundAfterTimeout', slot)
      },
      'when it was paid before': async () => {
        await lock()
        await release()
        await chain.advance(180 * daySeconds)
        await escrow.send(stranger, 'refundAfterTimeout', slot)
      },
      'it lets anybody refund a lock while paused': async () => {
        await lock()
        await paused()
        await chain.advance(180 * daySeconds)
        await escrow.send(stranger, 'refundAfterTimeout', slot)

        assert.deepEqual([await balanceOf(chain, poster), await escrow.read('totalLocked')], [amount, 0n])
      },
      'it lets anybody refund a pending lock': async () => {
        await directLock()
        await chain.advance(180 * daySeconds)
        await escrow.send(stranger, 'refundAfterTimeout', slot)

        assert.deepEqual([await balanceOf(chain, poster), await escrow.read('totalPending')], [amount, 0n])
      },
      'it lets anybody refund a disputed lock': async () => {
        await lock()
        await escrow.send(operator, 'dispute', slot)
        await chain.advance(180 * daySeconds)
        await escrow.send(stranger, 'refundAfterTimeout', slot)

        assert.equal(await balanceOf(chain, poster), amount)
      },
      'it pays the payee of an approved lock': async () => {
        await lock()
        await escrow.send(operator, 'markApproved', slot)
        await chain.advance(180 * daySeconds)

        const events = await escrow.send(stranger, 'refundAfterTimeout', slot)

        assert.deepEqual(of(events, 'EscrowReleased'), [[gig, payee, amount, 0n, ZeroAddress, 0n]])
        assert.equal(await balanceOf(chain, payee), amount)
      },
    },
    setPerGigCap: {
      'when the caller is the operator': () => escrow.send(operator, 'setPerGigCap', 1),
      'when it would not fit': () => escrow.send(chain.addresses.Timelock, 'setPerGigCap', 2n ** 96n),
      'it changes through the timelock, after its delay': async () => {
        const timelock = chain.at('Timelock')
        const act = [escrow.address, 0, escrow.interface.encodeFunctionData('setPerGigCap', [usd(60_000)]), ZeroHash, key()]

        await timelock.send(proposer, 'schedule', ...act, 60)
        await assert.rejects(timelock.send(stranger, 'execute', ...act), { reason: 'TimelockUnexpectedOperationState' })
        await chain.advance(60)
        await timelock.send(stranger, 'execute', ...act)

        assert.equal(await escrow.read('perGigCap'), usd(60_000))
      },
    },
    setTvlCap: {
      'when the caller is the operator': () => escrow.send(operator, 'setTvlCap', 1),
      'it changes the capacity': async () => {
        await lock()

        const events = await escrow.send(chain.addresses.Timelock, 'setTvlCap', amount - 1n)

        assert.deepEqual(of(events, 'TvlCapSet'), [[amount - 1n]])
        assert.equal(await escrow.read('tvlCapacity'), 0n)
      },
    },
    pause: {
      'when the caller is not pauser': () => escrow.send(operator, 'pause'),
      'it can be reversed by the pauser': async () => {
        await paused()
        await escrow.send(pauser, 'unpause')
        await lock()

        assert.equal(await status(), Status.Locked)
      },
    },
    constructor: {
      'it gives the admin role to the timelock and none to the deployer': async () => {
        const holds = (role: string, account: string) => escrow.read('hasRole', role, account)

        assert.equal(await escrow.read('defaultAdmin'), chain.addresses.Timelock)
        assert.equal(await holds(id('OPERATOR'), chain.addresses.Batcher), true)
        assert.equal(await holds(ZeroHash, walletOf('deployer').address), false)
        assert.equal(await holds(id('ORACLE'), oracle), false)
      },
    },
  })
})
