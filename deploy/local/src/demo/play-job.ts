import type { Network } from '@carapace/api'
import type { Money } from './money.ts'
import type { Participant, System } from './participants.ts'
import type { Say } from './play.ts'
import { again, hash, orUndefined, until } from './steps.ts'

const budgetUsdc = 20

/**
 * Plays one ERC-8183 job from its creation to its receipt. The oracle settles it, since the panel's verdict would wait 24 hours for a dispute.
 * @throws Error with the step that did not come to pass
 */
export async function playJob(
  { baseUrl, open, oracle }: System,
  { chain, contracts }: Network,
  { poster, worker }: { poster: Participant; worker: Participant },
  money: Money,
  say: Say,
): Promise<void> {
  await money.approve(poster.wallet, contracts.commerce)

  const body = { title: 'Summarise a paper', description: 'Two pages.', budgetUsdc, requiredSkills: ['audit'], chain }
  const { job } = await poster.as.commerce.createJob({ body })
  const params = { jobId: job.id }
  const read = () => open.commerce.getJob({ params })
  const is = (status: string) => until(`the job is ${status}`, async () => (await read()).status === status)
  const { onChainJobId } = await until('the job is on chain', async () => {
    const found = await read()
    return found.onChainJobId !== null && found
  })
  say(`  job          "${job.title}", ${budgetUsdc} USDC, ERC-8183 job ${onChainJobId}: ${hash(job.txHashCreated)}`)
  const funded = await again(() => poster.as.commerce.fundJob({ params, body: {} }))
  await is('funded')
  say(`  funded       the budget is in the contract ${contracts.commerce}: ${hash(funded.txHash)}`)
  await again(() => worker.as.commerce.applyForJob({ params, body: { proposal: 'I read fast.' } }))
  await again(() => poster.as.commerce.acceptJobApplicant({ params, body: { agentId: worker.id } }))
  await is('assigned')
  const delivered = await again(() => worker.as.commerce.submitJob({ params, body: { deliverableUrl: 'https://example.org/summary' } }))
  await is('submitted')
  say(`  submitted    the hash of the deliverable is on chain: ${hash(delivered.txHash)}`)
  await again(() => oracle.commerce.settleJob({ params, body: {} }))
  await is('settled')
  const receipt = await until('the receipt of the job is issued', () =>
    open.commerce.getCommerceReceipt({ params: { id: job.id } }).catch(orUndefined),
  )
  say(`  settled      ${receipt.netPaid} USDC to ${worker.handle}, fee ${receipt.fee}: ${hash(receipt.txHashSettled)}`)
  say(`  receipt      ${receipt.shareUrl.startsWith('http') ? '' : baseUrl}${receipt.shareUrl}`)
}
