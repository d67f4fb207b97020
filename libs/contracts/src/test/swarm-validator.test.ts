import assert from 'node:assert/strict'
import { id, ZeroAddress } from 'ethers'
import { type Chain, type Handle, people, startChain, walletOf } from '../testing/chain.ts'
import { testTree } from '../testing/tree.ts'
import { balanceOf, fund, usd } from '../testing/usdc.ts'

const { operator, pauser, poster, payee, stranger } = people
const validation = id('validation')
const voters = Array.from({ length: 16 }, (_, i) => walletOf(`voter ${i}`).address)
const [v0, v1, v2, v3, v4] = voters as [string, string, string, string, string]
const Status = { Pending: 1n, Approved: 2n, Rejected: 3n }
const Seat = { Party: 1n, Candidate: 2n, VotedApprove: 3n, VotedReject: 4n, Replaced: 5n }

describe('SwarmValidator', () => {
  let chain: Chain
  let swarm: Handle

  before(async () => {
    chain = await startChain()
    swarm = chain.at('SwarmValidator')
  })
  beforeEach(() => chain.reset())
  after(() => chain?.stop())

  const create = (count = 5, threshold = 3, candidates = voters.slice(0, count)) =>
    swarm.send(operator, 'createValidation', validation, [poster, payee], candidates, threshold)
  const replace = (out: string, by: string) => swarm.send(operator, 'replaceCandidate', validation, out, by)
  const vote = (voter: string, approve: boolean) => swarm.send(operator, 'recordVote', validation, voter, approve)
  const status = async () => (await swarm.read('getValidation', validation)).status
  const seat = (account: string) => swarm.read('seatOf', validation, account)
  const approved = async () => {
    await create(3, 2)
    await vote(v0, true)
    return vote(v1, true)
  }

  testTree(import.meta.url, {
    createValidation: {
      'when the caller is not operator': () => swarm.send(stranger, 'createValidation', validation, [], [v0], 1),
      'when entries are paused': async () => {
        await swarm.send(pauser, 'pause')
        await create()
      },
      'when the validation exists': async () => {
        await create()
        await create()
      },
      'when there is no candidate': () => create(0, 0),
      'when there are 16 candidates': () => create(16, 9),
      'when the threshold is zero': () => create(5, 0),
      'when the threshold is above the number of candidates': () => create(5, 6),
      'when a party is a candidate': () => create(2, 2, [v0, payee]),
      'when a candidate is listed twice': () => create(2, 2, [v0, v0]),
      'when a candidate is zero': () => create(2, 2, [v0, ZeroAddress]),
      'it seats candidates and parties': async () => {
        const [event] = await create(15, 8)

        assert.equal(event?.name, 'ValidationCreated')
        assert.deepEqual([...event.args[1]], voters.slice(0, 15))
        assert.deepEqual([...(await swarm.read('getValidation', validation))], [Status.Pending, 15n, 8n, 0n, 0n])
        assert.deepEqual([await seat(v0), await seat(poster)], [Seat.Candidate, Seat.Party])
      },
    },
    replaceCandidate: {
      'when the caller is not operator': () => swarm.send(v0, 'replaceCandidate', validation, v0, stranger),
      'when there is no such validation': () => replace(v0, stranger),
      'when the candidate has voted': async () => {
        await create()
        await vote(v0, true)
        await replace(v0, stranger)
      },
      'when the candidate was replaced before': async () => {
        await create()
        await replace(v0, stranger)
        await replace(v0, walletOf('another').address)
      },
      'when the replacement is a party': async () => {
        await create()
        await replace(v0, poster)
      },
      'when the replacement was replaced before': async () => {
        await create()
        await replace(v0, stranger)
        await replace(v1, v0)
      },
      'when the validation is resolved': async () => {
        await approved()
        await replace(v2, stranger)
      },
      'it gives the seat to another': async () => {
        await create()
        const [event] = await replace(v0, stranger)

        assert.deepEqual([event?.name, ...(event?.args ?? [])], ['CandidateReplaced', validation, v0, stranger])
        assert.deepEqual([await seat(v0), await seat(stranger)], [Seat.Replaced, Seat.Candidate])
      },
    },
    recordVote: {
      'when the caller is not operator': async () => {
        await create()
        await swarm.send(v0, 'recordVote', validation, v0, true)
      },
      'when the voter has no seat': async () => {
        await create()
        await vote(stranger, true)
      },
      'when the voter is a party': async () => {
        await create()
        await vote(poster, true)
      },
      'when the voter has voted': async () => {
        await create()
        await vote(v0, true)
        await vote(v0, false)
      },
      'it approves when approvals reach the threshold and outnumber rejections': async () => {
        const events = await approved()

        assert.deepEqual(
          events.map(e => [e.name, ...e.args]),
          [
            ['VoteCast', validation, v1, true],
            ['ValidationResolved', validation, true, 2n, 0n],
          ],
        )
        assert.equal(await status(), Status.Approved)
      },
      'it does not approve while rejections are as many': async () => {
        await create(5, 2)
        for (const [voter, approve] of [
          [v0, false],
          [v1, false],
          [v2, true],
          [v3, true],
        ] as const)
          await vote(voter, approve)

        assert.equal(await status(), Status.Pending)
        await vote(v4, true)
        assert.equal(await status(), Status.Approved)
      },
      'it rejects by more than half of the panel, regardless of the threshold': async () => {
        await create(5, 5)
        await vote(v0, false)
        await vote(v1, false)
        assert.equal(await status(), Status.Pending)

        const events = await vote(v2, false)

        assert.deepEqual([...(events[1]?.args ?? [])], [validation, false, 0n, 3n])
        assert.equal(await status(), Status.Rejected)
      },
      'it records a vote that comes after the result, which stays': async () => {
        await approved()
        await vote(v2, false)

        assert.deepEqual([...(await swarm.read('getValidation', validation))], [Status.Approved, 3n, 2n, 2n, 1n])
        assert.equal(await seat(v2), Seat.VotedReject)
      },
      'it records while paused': async () => {
        await create()
        await swarm.send(pauser, 'pause')
        await vote(v0, true)

        assert.equal(await seat(v0), Seat.VotedApprove)
      },
    },
    castVote: {
      'when there is no such validation': () => swarm.send(v0, 'castVote', validation, true),
      'when the caller has no seat': async () => {
        await create()
        await swarm.send(stranger, 'castVote', validation, true)
      },
      'when the caller has voted': async () => {
        await create()
        await vote(v0, true)
        await swarm.send(v0, 'castVote', validation, true)
      },
      'when the validation is resolved': async () => {
        await approved()
        await swarm.send(v2, 'castVote', validation, true)
      },
      "it counts the caller's own vote": async () => {
        await create(1, 1)
        await swarm.send(v0, 'castVote', validation, true)

        assert.equal(await status(), Status.Approved)
      },
    },
    payReward: {
      'when the caller is not operator': () => swarm.send(stranger, 'payReward', id('claim'), stranger, 1),
      'when the receiver is zero': () => swarm.send(operator, 'payReward', id('claim'), ZeroAddress, 1),
      'when the claim was paid before': async () => {
        await fund(chain, swarm.address, usd(1))
        await swarm.send(operator, 'payReward', id('claim'), v0, 1)
        await swarm.send(operator, 'payReward', id('claim'), v0, 1)
      },
      'when the pool is too small': () => swarm.send(operator, 'payReward', id('claim'), v0, 1),
      'it pays out of the pool while paused': async () => {
        await fund(chain, swarm.address, usd(1))
        await swarm.send(pauser, 'pause')
        const [event] = await swarm.send(operator, 'payReward', id('claim'), v0, usd(0.5))

        assert.deepEqual([event?.name, ...(event?.args ?? [])], ['RewardPaid', id('claim'), v0, usd(0.5)])
        assert.equal(await balanceOf(chain, v0), usd(0.5))
      },
    },
    returnSlash: {
      'when the caller is not the bond contract': () => swarm.send(operator, 'returnSlash', id('slash'), 1),
      'it knows its bond contract': async () => assert.equal(await swarm.read('bond'), chain.addresses.Bond),
    },
    sweep: {
      'when the caller is not the timelock': () => swarm.send(operator, 'sweep', operator, 1),
      'it pays the surplus out': async () => {
        await fund(chain, swarm.address, usd(1))
        await swarm.send(chain.addresses.Timelock, 'sweep', stranger, usd(1))

        assert.equal(await balanceOf(chain, stranger), usd(1))
      },
    },
  })
})
