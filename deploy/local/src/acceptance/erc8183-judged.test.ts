import assert from 'node:assert/strict'
import { chains } from '@carapace/api'
import { hourSeconds, type Player, until } from '@carapace/testing'
import { id, parseUnits } from 'ethers'
import { platformAroundTests } from '../testing/around-tests.ts'
import { commerceJobIs } from '../testing/commerce-job.ts'
import { budget, erc8183On } from '../testing/erc8183.ts'
import { untilFaultless } from '../testing/health.ts'
import { panelOf, vote } from '../testing/job.ts'

describe('a job that somebody makes on the ERC-8183 contract', function () {
  this.timeout(180_000)
  const platform = platformAroundTests({ validators: true })

  for (const chain of chains)
    describe(`on ${chain}`, () => {
      const { outsider, as, create, fund, shown, delivered } = erc8183On(platform, chain)
      /** Registered agents, of their own in each job: the transactions of one wallet wait for each other. */
      const parties = async (): Promise<{ poster: Player; worker: Player }> => {
        const [poster, worker] = await Promise.all([platform.newPlayer({ chain, usdc: 100 }), platform.newPlayer({ chain, usdc: 1 })])
        return { poster, worker }
      }
      const validationOf = async (recordId: string): Promise<string | null> => (await platform.get(`/api/erc8183/jobs/${recordId}`)).validationId
      const isJudged = ({ recordId }: { recordId: string }) => until('a panel judges it', async () => (await validationOf(recordId)) !== null)
      /** @param judged a job that was delivered later and has its panel: by then the others would have theirs */
      const assertExternal = async (jobs: readonly { external: boolean; recordId: string }[], judged: { recordId: string }) => {
        await isJudged(judged)
        for (const { external, recordId } of jobs) {
          const { exists } = await platform.get(`/api/erc8183/jobs/${recordId}/quorum`)
          assert.deepEqual([external, await validationOf(recordId), exists], [true, null, false])
        }
      }

      it('is judged by the swarm where registered agents name our evaluator', async () => {
        const { poster, worker } = await parties()
        const { jobEvaluator } = platform.networks[chain].contracts
        const jobId = await create(poster.wallet, worker.wallet.address, String(jobEvaluator))
        await fund(poster.wallet, jobId)
        const { external, poster: client, assignee } = await shown(jobId, 'assigned')
        assert.deepEqual({ external, client: client.id, assignee: assignee.id }, { external: false, client: poster.id, assignee: worker.id })

        await as(worker.wallet).send('submit', jobId, id('work'), '0x')
        const submitted = await shown(jobId, 'submitted')
        const { validationId } = await until('a panel judges it', async () => {
          const job = await platform.get(`/api/erc8183/jobs/${submitted.id}`)
          return job.validationId !== null && job
        })
        await vote(platform, validationId, (await panelOf(platform, validationId)).slice(0, 2), 'approve')
        await until('the verdict is known', async () => (await platform.get(`/api/erc8183/jobs/${submitted.id}/quorum`)).settleAfter !== null)
        await platform.advance(24 * hourSeconds + 60)
        await commerceJobIs(platform, submitted.id, 'settled')
        const receipt = await until('the receipt exists', async () => {
          const { status, body } = await platform.call('GET', `/api/commerce/jobs/${submitted.id}/receipt`)
          return status === 200 && body
        })
        assert.deepEqual({ fee: receipt.fee, netPaid: receipt.netPaid }, { fee: 0.75, netPaid: 24.25 })

        const earned = async () =>
          (await platform.get(`/api/agents/${worker.id}/earnings`)).history.map(({ jobId, amount }: { jobId: string; amount: number }) => [
            jobId,
            amount,
          ])
        const completed = async () => (await platform.get(`/api/agents/${worker.id}`)).totalGigsCompleted
        const own = [submitted.id, 24.25]
        await until('it is earned, and counts', async () => (await earned()).length === 1 && (await completed()) === 1)
        const outside = await delivered(poster.wallet, worker.wallet, budget, poster.wallet.address)
        await as(poster.wallet).send('complete', outside.jobId, id('done'), '0x')
        await commerceJobIs(platform, outside.recordId, 'settled')
        // a later one that counts: by then the external one would have been counted, too
        const counted = await delivered(poster.wallet, worker.wallet)
        await platform.post(`/api/erc8183/jobs/${counted.recordId}/settle`, {}, platform.admin)
        await until('the later one counts', async () => (await completed()) === 2)
        assert.deepEqual(new Map(await earned()), new Map([own, [counted.recordId, 24.25]] as [string, number][]))
      })

      it('is external and not judged where the budget is below 0.01 or above 50,000', async () => {
        const jobOf = async (amount: string) => {
          const { poster, worker } = await parties()
          const needed = parseUnits(amount, 6)
          const missing = needed - (await platform.usdcOf(chain, poster.wallet.address))
          const most = parseUnits('10000', 6)
          if (missing > 0n)
            await Promise.all(Array.from({ length: Number(missing / most) + 1 }, () => platform.faucet(poster.wallet.address, 10_000, chain)))
          await until('it has the budget', async () => (await platform.usdcOf(chain, poster.wallet.address)) >= needed)
          return delivered(poster.wallet, worker.wallet, needed)
        }
        const outside = await Promise.all(['0.009999', '50000.000001'].map(jobOf))
        const inside = await Promise.all(['50000', '0.01'].map(jobOf))

        assert.deepEqual(
          inside.map(({ external }) => external),
          [false, false],
        )
        await isJudged(inside[0]!)
        await assertExternal(outside, inside[1]!)
      })

      it('is external and not judged where one party is nobody the platform knows', async () => {
        const [{ poster, worker }, client, provider] = await Promise.all([parties(), outsider(), outsider()])
        const withStranger = await Promise.all([delivered(poster.wallet, provider), delivered(client, worker.wallet)])

        await assertExternal(withStranger, await delivered(poster.wallet, worker.wallet))
      })

      it('is external and not judged where somebody else evaluates, or a party is suspended', async () => {
        const [own, suspended] = await Promise.all([parties(), parties()])
        await platform.post(`/api/admin/agents/${suspended.worker.id}/suspend`, { suspended: true, reason: 'test' }, platform.admin)
        await until('the suspension is known', async () => (await platform.get(`/api/agents/${suspended.worker.id}`)).status === 'suspended')
        const external = await Promise.all([
          delivered(own.poster.wallet, own.worker.wallet, budget, own.poster.wallet.address),
          delivered(suspended.poster.wallet, suspended.worker.wallet),
        ])

        await assertExternal(external, await delivered(own.poster.wallet, own.worker.wallet))
      })

      it('leaves books that agree with the contract', async () => {
        await untilFaultless(platform, 'commerce')
      })
    })
})
