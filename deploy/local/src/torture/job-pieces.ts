import { commerceJobOf } from '../testing/commerce-job.ts'
import { micro } from '../testing/job.ts'
import { newClient, persist } from './persist.ts'
import { type Stage, uneven } from './pieces.ts'

/** The ways out of a commerce job that no clock is needed for. */
export const jobEnds = ['settled', 'rejected', 'settled after a dispute', 'rejected after a dispute', 'cancelled'] as const
export type JobEnd = (typeof jobEnds)[number]

/** A commerce job from its draft to its end, all of it while things go wrong. */
export async function endedJob(stage: Stage, end: JobEnd): Promise<void> {
  const { system, participants, deadline, sums, random } = stage
  const { poster, worker, chain } = participants
  const budget = uneven(random, 5, 30)
  const client = newClient(system)
  const draft = { title: 'Summarise a paper', description: 'Two pages.', budgetUsdc: budget, deadlineHours: 48, chain }
  const { job } = await persist('a job is created', deadline, () => client.once('create', 'POST', '/api/erc8183/jobs', draft, poster.headers))
  const jobId: string = job.id
  const act = (name: string, body: object, headers: Record<string, string>) =>
    client.once(name, 'POST', `/api/erc8183/jobs/${jobId}/${name}`, body, headers)
  const is = (status: string) => async () => (await commerceJobOf(system, jobId)).status === status
  try {
    await persist('the job is on chain', deadline, async () => (await commerceJobOf(system, jobId)).onChainJobId !== null)
    if (end === 'cancelled') {
      await persist('the job is cancelled', deadline, is('cancelled'), () => act('cancel', {}, poster.headers))
      return
    }
    await persist('the job is funded', deadline, is('funded'), () => act('fund', {}, { 'x-wallet-address': poster.wallet.address }))
    await persist('the job is assigned', deadline, is('assigned'), async () => {
      await act('apply', { proposal: 'I read fast.' }, worker.headers).catch(unless('ALREADY_APPLIED'))
      await act('accept', { agentId: worker.id }, poster.headers)
    })
    await persist('the job is delivered', deadline, is('submitted'), () =>
      act('submit', { deliverableUrl: 'https://example.org/summary' }, worker.headers),
    )
    if (end.endsWith('dispute'))
      await persist('the job is disputed', deadline, is('disputed'), () => act('dispute', { reason: 'half of it is missing' }, poster.headers))
    const isPaid = end.startsWith('settled')
    const status = isPaid ? 'settled' : 'rejected'
    await persist(`the job is ${status}`, deadline, is(status), () => act('settle', { outcome: isPaid ? 'settle' : 'reject' }, system.admin))
    if (!isPaid) return
    const receipt = await persist('its receipt exists', deadline, () => system.get(`/api/commerce/jobs/${jobId}/receipt`))
    if (micro(receipt.netPaid) + micro(receipt.fee) !== micro(budget)) throw new Error(`receipt of job ${jobId} does not add up`)
    sums.paidByPoster += micro(budget)
    sums.earnedByWorker += micro(receipt.netPaid)
  } catch (cause) {
    const state = await commerceJobOf(system, jobId).catch(String)
    throw new Error(`${(cause as Error).message}\n${JSON.stringify(state)}`, { cause })
  }
}

const unless = (code: string) => (error: Error) => {
  if (!error.message.includes(code)) throw error
}
