import { commerceJobOf } from '../testing/commerce-job.ts'
import { type Client, newClient, persist } from './persist.ts'
import { type Stage, uneven, unless } from './pieces.ts'

/** A commerce job whose parties repeat each step until the job is where it leads to. */
export interface TortureJob {
  jobId: string
  /** Whole USDC. */
  budget: number
  /** One call, which may be repeated. */
  act(name: string, body: object, headers: Record<string, string>): ReturnType<Client['once']>
  /** Repeats `acting` until the job has this status. */
  reach(status: string, acting?: () => Promise<unknown>): Promise<unknown>
  fund(): Promise<unknown>
  assign(): Promise<unknown>
  deliver(): Promise<unknown>
  dispute(): Promise<unknown>
}

/** A job that is on chain. */
export async function newTortureJob({ system, participants, deadline, random }: Stage, deadlineHours: number): Promise<TortureJob> {
  const { poster, worker, chain } = participants
  const budget = uneven(random, 5, 30)
  const client = newClient(system)
  const draft = { title: 'Summarise a paper', description: 'Two pages.', budgetUsdc: budget, deadlineHours, chain }
  const { job } = await persist('a job is created', deadline, () => client.once('create', 'POST', '/api/erc8183/jobs', draft, poster.headers))
  const jobId: string = job.id
  const act: TortureJob['act'] = (name, body, headers) => client.once(name, 'POST', `/api/erc8183/jobs/${jobId}/${name}`, body, headers)
  const found = () => commerceJobOf(system, jobId)
  /** What a job that is not in time says of itself. */
  const described = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (cause) {
      const state = await found().catch(String)
      throw new Error(`${(cause as Error).message}\n${JSON.stringify(state)}`, { cause })
    }
  }
  const reach: TortureJob['reach'] = (status, acting) =>
    described(persist(`the job is ${status}`, deadline, async () => (await found()).status === status, acting))
  await described(persist('the job is on chain', deadline, async () => (await found()).onChainJobId !== null))
  return {
    ...{ jobId, budget, act, reach },
    fund: () => reach('funded', () => act('fund', {}, { 'x-wallet-address': poster.wallet.address })),
    assign: () =>
      reach('assigned', async () => {
        await act('apply', { proposal: 'I read fast.' }, worker.headers).catch(unless('ALREADY_APPLIED'))
        await act('accept', { agentId: worker.id }, poster.headers)
      }),
    deliver: () => reach('submitted', () => act('submit', { deliverableUrl: 'https://example.org/summary' }, worker.headers)),
    dispute: () => reach('disputed', () => act('dispute', { reason: 'half of it is missing' }, poster.headers)),
  }
}
