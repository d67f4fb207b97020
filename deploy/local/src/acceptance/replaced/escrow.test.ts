import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { doctorChecks, newWallet } from '@carapace/testing'
import { replacementAroundTests } from '../../testing/around-tests.ts'
import { untilHealthy } from '../../testing/health.ts'
import { deliver, escrowOf, fundedJob, gigIs, type Job, micro, openPanel, vote } from '../../testing/job.ts'
import { assertPaid, disputeGig, newValidators } from '../../testing/scenarios.ts'
import { postPaying } from '../../testing/x402-clients.ts'

const chain = 'BASE_SEPOLIA'

describe('an escrow contract that is replaced', function () {
  this.timeout(240_000)
  const { platform, start, replace } = replacementAroundTests(chain, 'Escrow', { INTERNAL_KEY: '5a'.repeat(32), X402_PAY_TO_ADDRESS: newWallet() })
  let contracts: Awaited<ReturnType<typeof replace>>
  const opened: Record<'paid' | 'refunded', Job> = {} as never
  before(async () => {
    await newValidators(platform)
    opened.paid = await fundedJob(platform)
    opened.refunded = await fundedJob(platform, { budget: 25 })
    // as one that was opened before its contract was stored
    await escrows().updateOne({ _id: opened.paid.gigId }, { $unset: { contract: 1 } })
    contracts = await replace()
  })

  const heldIn = async () => ({
    former: await platform.usdcOf(chain, contracts.former),
    present: await platform.usdcOf(chain, contracts.present),
  })
  const placeOf = async ({ gigId }: Job) => (await escrowOf(platform, gigId)).depositAddress
  const escrows = () => platform.service('escrow').platform.db.connection.collection<{ _id: string }>('escrows')
  const moveRecord = async ({ gigId }: Job, contract: string) => {
    const { modifiedCount } = await escrows().updateOne({ _id: gigId }, { $set: { contract } })
    assert.equal(modifiedCount, 1)
  }
  const approve = async (job: Job) => {
    await deliver(platform, job)
    const { id, panel } = await openPanel(platform, job)
    await vote(platform, id, panel.slice(0, 2), 'approve')
    await gigIs(platform, job.gigId, 'completed')
    await assertPaid(platform, job)
  }
  const refund = (job: Job) => disputeGig(platform, job, false)

  it('is not forgotten: a start whose file does not name it any more is refused by name', async () => {
    const whole = await readFile(contracts.file, 'utf8')
    const { former: _, ...rest } = JSON.parse(whole)
    await writeFile(contracts.file, JSON.stringify(rest))

    await assert.rejects(start(), {
      message: `BASE_SEPOLIA: records are on contracts that BASE_SEPOLIA_ADDRESSES does not name: add Escrow ${contracts.former} to its "former"`,
    })

    await writeFile(contracts.file, whole)
  })

  it('stays the one of the records that were opened on it, and new ones are opened on the new one', async () => {
    await start()
    const fresh = await fundedJob(platform, { budget: 60 })

    assert.deepEqual(await Promise.all([opened.paid, opened.refunded, fresh].map(placeOf)), [contracts.former, contracts.former, contracts.present])
    assert.deepEqual(await heldIn(), { former: micro(65), present: micro(60) })
    await untilHealthy(platform, 60)
    await moveRecord(opened.refunded, contracts.present)
    const checks = await doctorChecks(platform, 'escrow')
    await moveRecord(opened.refunded, contracts.former)
    assert.deepEqual(checks.find(({ name }) => name === 'contracts')?.detail, [`${chain}: escrow owes ${micro(85)} and holds ${micro(60)}`])

    await approve(opened.paid)
    await refund(opened.refunded)
    assert.deepEqual(await heldIn(), { former: 0n, present: micro(60) })
    await approve(fresh)
    assert.deepEqual(await heldIn(), { former: 0n, present: 0n })
    await untilHealthy(platform, 60)
  })

  it('leaves what x402 pays to the new one', async () => {
    const poster = await platform.newPlayer({ prefix: 'poster' })
    await platform.faucet(poster.wallet.address, 2, chain)
    const { id: gigId } = await platform.post('/api/gigs', { title: 'Audit', description: 'Read it.', budget: 0.5, chain }, poster.headers)

    const response = await postPaying(platform, poster, chain, '/api/agent-payments/fund-escrow', { gigId, agentId: poster.id })

    assert.equal(response.status, 200, await response.text())
    assert.deepEqual(await heldIn(), { former: 0n, present: micro(0.5) })
    await untilHealthy(platform, 60)
  })
})
