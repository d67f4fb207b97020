import assert from 'node:assert/strict'
import { chains } from '@carapace/api'
import { daySeconds, hourSeconds, until } from '@carapace/testing'
import { Contract, type ContractTransactionResponse, Interface, id, isError, MaxUint256, parseUnits, ZeroAddress } from 'ethers'
import { platformAroundTests } from '../testing/around-tests.ts'
import { commerceJobIs } from '../testing/commerce-job.ts'
import { authors, budget, erc20, erc8183On } from '../testing/erc8183.ts'
import { untilFaultless } from '../testing/health.ts'

describe('the ERC-8183 contract to those who know only its text', function () {
  this.timeout(180_000)
  const platform = platformAroundTests()

  for (const chain of chains)
    describe(`on ${chain}`, () => {
      const { outsider, done, as, now, create, fund, shown } = erc8183On(platform, chain)

      it('creates, funds, submits and completes, and the job is shown by its wallets', async () => {
        const [client, provider] = await Promise.all([outsider(), outsider()])
        const jobId = await create(client, ZeroAddress, client.address)
        const open = await shown(jobId, 'open')
        assert.deepEqual(
          { external: open.external, title: open.title, posterAgentId: open.posterAgentId, posterWallet: open.posterWallet },
          { external: true, title: 'Label pictures', posterAgentId: null, posterWallet: client.address },
        )
        await as(client).send('setProvider', jobId, provider.address, '0x')
        await fund(client, jobId)
        const assigned = await shown(jobId, 'assigned')
        assert.deepEqual({ wallet: assigned.assigneeWallet, budget: assigned.budgetUsdc }, { wallet: provider.address, budget: 25 })

        await as(provider).send('submit', jobId, id('ipfs://deliverable'), '0x')
        assert.equal((await shown(jobId, 'submitted')).deliverableHash, id('ipfs://deliverable'))
        const before = await platform.usdcOf(chain, provider.address)
        await as(client).send('complete', jobId, id('good'), '0x')
        const settled = await shown(jobId, 'settled')
        assert.equal((await platform.usdcOf(chain, provider.address)) - before, parseUnits('24.25', 6))
        assert.equal((await platform.call('GET', `/api/commerce/jobs/${settled.id}/receipt`)).status, 404)
        assert.equal((await platform.call('GET', `/api/erc8183/jobs?status=settled&chain=${chain}`)).body.jobs[0].id, settled.id)
      })

      it('rejects a funded job as its evaluator, and the client has its money back', async () => {
        const [client, evaluator, provider] = await Promise.all([outsider(), outsider(), outsider()])
        const jobId = await create(client, provider.address, evaluator.address)
        await fund(client, jobId)
        await shown(jobId, 'assigned')
        await as(evaluator).send('reject', jobId, id('too late'), '0x')
        await shown(jobId, 'rejected')
        assert.equal(await platform.usdcOf(chain, client.address), parseUnits('100', 6))
      })

      it('shows a job with any numbers and text of its client, and the network goes on', async () => {
        const client = await outsider()
        const { contracts } = platform.networks[chain]
        /** A call whose text is given as its bytes, which need be no UTF-8. */
        const raw = async (to: unknown, signature: string, args: unknown[]) => {
          const asBytes = new Interface([`function ${signature.replace('string', 'bytes')}`])
          const data = asBytes.encodeFunctionData(signature.split('(')[0]!, args)
          return done(
            client.sendTransaction({ to: String(to), data: id(signature).slice(0, 10) + data.slice(10) }) as Promise<ContractTransactionResponse>,
          )
        }
        await raw(contracts.identityRegistry, 'register(string)', ['0xfffe'])
        const creation = 'createJob(address,address,uint256,string,address)'
        const created = await raw(contracts.commerce, creation, [
          ZeroAddress,
          client.address,
          MaxUint256,
          '0x436f756e74ff73746172730a0a416c6c',
          ZeroAddress,
        ])
        const { contract, send } = as(client)
        const { jobId } = created!.logs.map(log => contract.interface.parseLog(log)).find(log => log?.name === 'JobCreated')!.args
        await send('setBudget', jobId, MaxUint256, '0x')

        const { title, description, expiredAt, external } = await shown(jobId, 'open')
        assert.deepEqual([title, description, expiredAt.slice(0, 4), external], ['Count\ufffdstars', 'All', '9999', true])
        assert.equal((await platform.call('GET', `/api/erc8183/jobs?chain=${chain}`)).status, 200)
      })

      it("accepts the ABI of the authors' contracts, and the job is shown to its end", async () => {
        const [client, provider] = await Promise.all([outsider(), outsider()])
        const { usdc, commerce } = platform.networks[chain].contracts
        const asClient = as(client, authors)
        const created = await asClient.send('createJob', ZeroAddress, client.address, (await now()) + daySeconds, 'Sort stamps', ZeroAddress, 0)
        const jobId: bigint = created!.logs.map(log => asClient.contract.interface.parseLog(log)).find(log => log?.name === 'JobCreated')!.args.jobId
        await asClient.send('setProvider', jobId, provider.address, 41)
        await asClient.send('setBudget', jobId, usdc, budget, '0x')
        await done(new Contract(usdc, erc20, client.connect(platform.networks[chain].provider)).getFunction('approve')(commerce, MaxUint256))
        await asClient.send('fund', jobId, budget, '0x')
        await as(provider, authors).send('submit', jobId, id('stamps'), '0x')
        await asClient.send('complete', jobId, id('sorted'), '0x')

        const { assigneeWallet, budgetUsdc, external } = await shown(jobId, 'settled')
        const found = await asClient.contract.getFunction('getJob')(jobId)
        assert.deepEqual([assigneeWallet, budgetUsdc, external], [provider.address, 25, true])
        assert.deepEqual([found.status, found.providerAgentId, found.paymentToken, found.budget], [3n, 41n, usdc, budget])
      })

      it('refuses a hook with InvalidHook', async () => {
        const client = await outsider()
        const call = as(client).contract.getFunction('createJob').staticCall
        await assert.rejects(
          call(ZeroAddress, client.address, (await now()) + daySeconds, 'a job', client.address),
          (error: unknown) => isError(error, 'CALL_EXCEPTION') && error.revert?.name === 'InvalidHook',
        )
      })

      it('follows a direct submission and a direct end of a job that was made here', async () => {
        const [poster, worker] = await Promise.all([platform.newPlayer({ chain, usdc: 100 }), platform.newPlayer({ chain, usdc: 1 })])
        const draft = { title: 'Count birds', description: 'All of them.', budgetUsdc: 5, chain }
        const { job } = await platform.post('/api/erc8183/jobs', draft, poster.headers)
        const { onChainJobId } = await until('it is on chain', async () => {
          const found = await platform.get(`/api/erc8183/jobs/${job.id}`)
          return found.onChainJobId !== null && found
        })
        await as(worker.wallet)
          .send('submit', onChainJobId, id('x'), '0x')
          .then(
            () => assert.fail('a stranger submitted'),
            () => undefined,
          )
        await as(poster.wallet).send('reject', onChainJobId, id('changed my mind'), '0x')
        const ended = await commerceJobIs(platform, job.id, 'cancelled')
        assert.equal(ended.closeReason, 'withdrawn')
      })

      /** Nothing with a date comes after it: it moves the time of the blocks. */
      it('claims the refund of an expired job, as anybody', async () => {
        const [client, anybody, provider] = await Promise.all([outsider(), outsider(), outsider()])
        const jobId = await create(client, provider.address, client.address, hourSeconds)
        await fund(client, jobId)
        await shown(jobId, 'assigned')
        const node = platform.networks[chain].provider
        await node.send('evm_increaseTime', [2 * hourSeconds])
        await node.send('evm_mine', [])
        await as(anybody).send('claimRefund', jobId)
        const { closeReason, onChainStatus } = await shown(jobId, 'cancelled')
        assert.deepEqual({ closeReason, onChainStatus }, { closeReason: 'expired', onChainStatus: 'Expired' })
        assert.equal(await platform.usdcOf(chain, client.address), parseUnits('100', 6))
      })

      it('leaves books that agree with the contract', async () => {
        await untilFaultless(platform, 'commerce')
      })
    })
})
