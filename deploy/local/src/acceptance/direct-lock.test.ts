import { onChainKey } from '@carapace/chain'
import { interfaceOf } from '@carapace/contracts'
import { Contract, Wallet } from 'ethers'
import { act } from '../testing/act.ts'
import { platformAroundTests } from '../testing/around-tests.ts'
import { untilHealthy } from '../testing/health.ts'
import { deliver, escrowIs, gigIs, type Job, micro, openPanel, vote } from '../testing/job.ts'
import { assertPaid } from '../testing/scenarios.ts'

const chain = 'BASE_SEPOLIA'
const budget = 40

describe('a budget that its poster locks on the contract itself', function () {
  this.timeout(120_000)
  const platform = platformAroundTests({ validators: true })

  /** An assigned gig without escrow, and the contract in the hands of its poster's wallet. */
  const assigned = async (): Promise<
    Job & { lock: (payee: string, nonce: number) => Promise<unknown>; reclaim: (nonce: number) => Promise<unknown> }
  > => {
    const [poster, worker] = await Promise.all([
      platform.newPlayer({ chain, usdc: 1_000, prefix: 'poster' }),
      platform.newPlayer({ chain, prefix: 'worker' }),
    ])
    const { id: gigId } = await platform.post('/api/gigs', { title: 'Audit', description: 'Read it.', budget, chain }, poster.headers)
    await platform.post(`/api/gigs/${gigId}/apply`, { proposal: 'I know vaults.' }, worker.headers)
    await act(platform, `/api/gigs/${gigId}/accept-applicant`, { applicantAgentId: worker.id }, poster.headers)
    await gigIs(platform, gigId, 'assigned')
    const before = { poster: await platform.usdcOf(chain, poster.wallet.address), worker: await platform.usdcOf(chain, worker.wallet.address) }
    const { provider, contracts } = platform.networks[chain]
    const escrow = new Contract(contracts.escrow, interfaceOf('Escrow'), poster.wallet.connect(provider))
    const slot = await escrow.getFunction('slotOf')(onChainKey(gigId), poster.wallet.address)
    // estimated on the present state, the second and third of three in one block would be refused
    const by = (nonce: number) => ({ nonce, gasLimit: 500_000 })
    return {
      ...{ gigId, chain, poster, worker, budget, before },
      lock: (payee, nonce) => escrow.getFunction('lockUSDC')(onChainKey(gigId), payee, micro(budget), by(nonce)),
      reclaim: nonce => escrow.getFunction('reclaim')(slot, by(nonce)),
    }
  }
  const nonceOf = ({ poster }: Job) => platform.networks[chain].provider.getTransactionCount(poster.wallet.address, 'pending')
  const approve = async (job: Job) => {
    await escrowIs(platform, job.gigId, 'locked')
    await deliver(platform, job)
    const { id, panel } = await openPanel(platform, job)
    await vote(platform, id, panel.slice(0, 2), 'approve')
    await gigIs(platform, job.gigId, 'completed')
    await assertPaid(platform, job)
  }

  it('pays the assignee whom it names', async () => {
    const job = await assigned()

    await job.lock(job.worker.wallet.address, await nonceOf(job))

    await approve(job)
    await untilHealthy(platform, 60)
  })

  it('pays the assignee also where it was exchanged for one that names another payee before it was accepted', async () => {
    const job = await assigned()
    const nonce = await nonceOf(job)

    const sent = [job.lock(job.worker.wallet.address, nonce), job.reclaim(nonce + 1), job.lock(Wallet.createRandom().address, nonce + 2)]
    await Promise.all(sent)

    await approve(job)
    await untilHealthy(platform, 60)
  })
})
