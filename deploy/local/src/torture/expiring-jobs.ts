import assert from 'node:assert/strict'
import { hourSeconds } from '@carapace/testing'
import { Interface } from 'ethers'
import { commerceJobOf } from '../testing/commerce-job.ts'
import { broadcast, signCall } from './participants.ts'
import { newClient, persist } from './persist.ts'
import type { Stage } from './pieces.ts'
import { newTortureJob, type TortureJob } from './torture-job.ts'

const commerce = new Interface(['function claimRefund(uint256 jobId)'])

/** How far a job has come when its time ends. */
const steps = ['fund', 'assign', 'deliver', 'dispute'] as const
type Step = (typeof steps)[number]

/** What the platform ends by its own clock, and why. */
const endedByPlatform: readonly (readonly [Step, string])[] = [
  ['fund', 'expired'],
  ['assign', 'deadline_missed'],
]

/**
 * Jobs that time alone ends: the platform those without an assignee or a delivery, and a claimed refund, which anybody may claim, those whose expiry on the
 * contract is over. Both clocks are moved, so nothing else may be under way, and the network makes no new jobs afterwards.
 */
export async function expiringJobs(stage: Stage): Promise<void> {
  const [ending, claimed] = await Promise.all([
    Promise.all(endedByPlatform.map(async ([last, reason]) => ({ reason, job: await jobUpTo(stage, last, 1) }))),
    Promise.all(steps.map(last => jobUpTo(stage, last, 48))),
  ])

  await passDeadlines(stage)
  for (const { job, reason } of ending) await endsAs(stage, job, { closeReason: reason, onChainStatus: 'Rejected' })

  await passExpiry(stage, claimed)
  for (const job of claimed) await claimRefund(stage, job)
  for (const job of claimed)
    await endsAs(stage, job, { closeReason: 'expired', onChainStatus: 'Expired' }, () => broadcast(stage.system, stage.participants))
}

async function jobUpTo(stage: Stage, last: Step, deadlineHours: number): Promise<TortureJob> {
  const job = await newTortureJob(stage, deadlineHours)
  for (const step of steps.slice(0, steps.indexOf(last) + 1)) await job[step]()
  return job
}

async function endsAs({ system, deadline }: Stage, { jobId, reach }: TortureJob, expected: object, acting?: () => Promise<unknown>): Promise<void> {
  await reach('cancelled', acting)
  const { closeReason, onChainStatus } = await persist('the job says how it ended', deadline, () => commerceJobOf(system, jobId))
  assert.deepEqual({ closeReason, onChainStatus }, expected, `job ${jobId}`)
}

/** An hour to deliver, and one more. */
async function passDeadlines({ system, deadline }: Stage): Promise<void> {
  const client = newClient(system)
  const move = { advanceSeconds: 2 * hourSeconds + 60 }
  await persist('the platform clock is past the deadlines', deadline, () => client.once('advance', 'POST', '/api/sandbox/clock', move, {}))
}

async function passExpiry({ system, participants: { chain }, deadline }: Stage, jobs: readonly TortureJob[]): Promise<void> {
  const { provider } = system.networks[chain]
  const ends = await Promise.all(
    jobs.map(({ jobId }) => persist('a job says when it expires', deadline, async () => Date.parse((await commerceJobOf(system, jobId)).expiredAt))),
  )
  const secondsLeft = async () => Math.ceil(Math.max(...ends) / 1000) - (await provider.getBlock('latest'))!.timestamp
  await persist(
    'the time of the blocks is past the expiry',
    deadline,
    async () => (await secondsLeft()) <= 0,
    async () => {
      await provider.send('evm_increaseTime', [(await secondsLeft()) + 60])
      await provider.send('evm_mine', [])
    },
  )
}

/** Anybody may: here somebody who is no party. */
async function claimRefund({ system, participants, deadline }: Stage, { jobId }: TortureJob): Promise<void> {
  const { onChainJobId } = await persist('the job is known', deadline, () => commerceJobOf(system, jobId))
  const { contracts } = system.networks[participants.chain]
  const to = contracts.commerce
  const data = commerce.encodeFunctionData('claimRefund', [onChainJobId])
  await signCall(system, participants, participants.sender.wallet, { to, data, gasLimit: 150_000 })
  // which of them is handed to the node, and when, is a matter of chance, too
  await broadcast(system, participants).catch(() => undefined)
}
