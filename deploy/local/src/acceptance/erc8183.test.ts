import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chains } from '@carapace/api'
import { daySeconds, hourSeconds, until } from '@carapace/testing'
import { Contract, type ContractTransactionResponse, Interface, id, isError, MaxUint256, parseUnits, Wallet, ZeroAddress } from 'ethers'
import { platformAroundTests } from '../testing/around-tests.ts'
import { commerceJobIs } from '../testing/commerce-job.ts'
import { untilFaultless } from '../testing/health.ts'
import { panelOf, vote } from '../testing/job.ts'

/** What somebody writes down who has read the ERC text and nothing else. */
const erc8183 = [
  'function createJob(address provider, address evaluator, uint256 expiredAt, string description, address hook) returns (uint256)',
  'function setProvider(uint256 jobId, address provider, bytes optParams)',
  'function setBudget(uint256 jobId, uint256 amount, bytes optParams)',
  'function fund(uint256 jobId, uint256 expectedBudget, bytes optParams)',
  'function submit(uint256 jobId, bytes32 deliverable, bytes optParams)',
  'function complete(uint256 jobId, bytes32 reason, bytes optParams)',
  'function reject(uint256 jobId, bytes32 reason, bytes optParams)',
  'function claimRefund(uint256 jobId)',
  'event JobCreated(uint256 indexed jobId, address indexed client, address indexed provider, address evaluator, uint256 expiredAt, address hook)',
  'error InvalidHook()',
]
/** The second ABI: that of the authors' own contracts, where it differs from the text. */
const authors = [
  'function createJob(address provider, address evaluator, uint256 expiredAt, string description, address hook, uint256 providerAgentId) returns (uint256)',
  'function setProvider(uint256 jobId, address provider, uint256 agentId)',
  'function setBudget(uint256 jobId, address token, uint256 amount, bytes optParams)',
  'function fund(uint256 jobId, uint256 expectedBudget, bytes optParams)',
  'function submit(uint256 jobId, bytes32 deliverable, bytes optParams)',
  'function complete(uint256 jobId, bytes32 reason, bytes optParams)',
  'function getJob(uint256 jobId) view returns (tuple(uint256 id, address client, address provider, address evaluator, string description, uint256 budget, uint256 expiredAt, uint8 status, address hook, address paymentToken, uint256 providerAgentId, uint256 submittedAt))',
  'event JobCreated(uint256 indexed jobId, address indexed client, address indexed provider, address evaluator, uint256 expiredAt, address hook)',
  'event JobCompleted(uint256 indexed jobId, address indexed evaluator, bytes32 reason)',
]
const erc20 = ['function approve(address spender, uint256 amount) returns (bool)', 'function balanceOf(address) view returns (uint256)']
const budget = parseUnits('25', 6)

describe('the ERC-8183 contract to those who know only its text', function () {
  this.timeout(180_000)
  const platform = platformAroundTests({ validators: true })

  for (const chain of chains)
    describe(`on ${chain}`, () => {
      /** A wallet that nobody registered, with gas and money. */
      const outsider = async (): Promise<Wallet> => {
        const wallet = new Wallet(`0x${randomBytes(32).toString('hex')}`, platform.networks[chain].provider)
        await platform.faucet(wallet.address, 100, chain)
        return wallet
      }
      const done = async (sent: Promise<ContractTransactionResponse>) => (await sent).wait()
      const as = (wallet: Wallet, abi = erc8183) => {
        const { contracts, provider } = platform.networks[chain]
        const contract = new Contract(contracts.commerce, abi, wallet.connect(provider))
        const send = (name: string, ...args: unknown[]) => done(contract.getFunction(name)(...args))
        return { contract, send }
      }
      const now = async () => (await platform.networks[chain].provider.getBlock('latest'))!.timestamp

      /** @returns number of the job that the receipt of `createJob` names */
      const create = async (client: Wallet, provider: string, evaluator: string, forSeconds = 30 * daySeconds): Promise<bigint> => {
        const { contract, send } = as(client)
        const receipt = await send('createJob', provider, evaluator, (await now()) + forSeconds, 'Label pictures\n\nA thousand of them.', ZeroAddress)
        const created = receipt!.logs.map(log => contract.interface.parseLog(log)).find(log => log?.name === 'JobCreated')
        return created!.args.jobId
      }
      const fund = async (client: Wallet, jobId: bigint, amount = budget): Promise<void> => {
        const { contracts, provider } = platform.networks[chain]
        await as(client).send('setBudget', jobId, amount, '0x')
        await done(new Contract(contracts.usdc, erc20, client.connect(provider)).getFunction('approve')(contracts.commerce, MaxUint256))
        await as(client).send('fund', jobId, amount, '0x')
      }
      const shown = (jobId: bigint, status: string) =>
        until(`the job on the contract is shown as ${status}`, async () => {
          const { body } = await platform.call('GET', `/api/erc8183/jobs/${jobId}?chain=${chain}`)
          if (body.status !== status) throw new Error(`it is ${JSON.stringify(body)}`)
          return body
        })

      it('creates, funds, submits and completes, and the job is shown by its wallets', async () => {
        const [client, provider] = [await outsider(), await outsider()]
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
        const [client, evaluator] = [await outsider(), await outsider()]
        const jobId = await create(client, (await outsider()).address, evaluator.address)
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
        const [client, provider] = [await outsider(), await outsider()]
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

      it('has registered agents judged by the swarm where our evaluator is named', async () => {
        const [poster, worker] = [await platform.newPlayer({ chain, usdc: 100 }), await platform.newPlayer({ chain, usdc: 1 })]
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
      })

      /** Delivered work that names our evaluator. */
      const delivered = async (
        client: Wallet,
        worker: Wallet,
        amount = budget,
        evaluator = String(platform.networks[chain].contracts.jobEvaluator),
      ) => {
        const jobId = await create(client, worker.address, evaluator)
        await fund(client, jobId, amount)
        const { external } = await shown(jobId, 'assigned')
        await as(worker).send('submit', jobId, id('work'), '0x')
        const { id: recordId } = await shown(jobId, 'submitted')
        return { external, recordId }
      }
      const validationOf = async (recordId: string): Promise<string | null> => (await platform.get(`/api/erc8183/jobs/${recordId}`)).validationId
      const isJudged = ({ recordId }: { recordId: string }) => until('a panel judges it', async () => (await validationOf(recordId)) !== null)
      /** @param judged a job that was delivered later and has its panel: by then the others would have theirs */
      const assertExternal = async (jobs: { external: boolean; recordId: string }[], judged: { recordId: string }) => {
        await isJudged(judged)
        for (const { external, recordId } of jobs) {
          const { exists } = await platform.get(`/api/erc8183/jobs/${recordId}/quorum`)
          assert.deepEqual([external, await validationOf(recordId), exists], [true, null, false])
        }
      }

      it('is external and not judged where the budget is below 0.01 or above 50,000', async () => {
        const [poster, worker] = [await platform.newPlayer({ chain, usdc: 1 }), await platform.newPlayer({ chain, usdc: 1 })]
        for (let funded = 0; funded < 110_000; funded += 10_000) await platform.faucet(poster.wallet.address, 10_000, chain)
        const jobOf = (amount: string) => delivered(poster.wallet, worker.wallet, parseUnits(amount, 6))
        const outside = [await jobOf('0.009999'), await jobOf('50000.000001')]
        const inside = [await jobOf('50000'), await jobOf('0.01')]

        assert.deepEqual(
          inside.map(({ external }) => external),
          [false, false],
        )
        await isJudged(inside[0]!)
        await assertExternal(outside, inside[1]!)
      })

      it('is external and not judged where one party is nobody the platform knows', async () => {
        const [poster, worker, stranger] = [
          await platform.newPlayer({ chain, usdc: 100 }),
          await platform.newPlayer({ chain, usdc: 1 }),
          await outsider(),
        ]
        const withStranger = [await delivered(poster.wallet, stranger), await delivered(stranger, worker.wallet)]

        await assertExternal(withStranger, await delivered(poster.wallet, worker.wallet))
      })

      it('is external and not judged where somebody else evaluates, or a party is suspended', async () => {
        const [poster, worker, suspended] = [
          await platform.newPlayer({ chain, usdc: 100 }),
          await platform.newPlayer({ chain, usdc: 1 }),
          await platform.newPlayer({ chain, usdc: 1 }),
        ]
        const own = await delivered(poster.wallet, worker.wallet, budget, poster.wallet.address)
        await platform.post(`/api/admin/agents/${suspended.id}/suspend`, { suspended: true, reason: 'test' }, platform.admin)
        await until('the suspension is known', async () => (await platform.get(`/api/agents/${suspended.id}`)).status === 'suspended')
        const withSuspended = await delivered(poster.wallet, suspended.wallet)

        await assertExternal([own, withSuspended], await delivered(poster.wallet, worker.wallet))
      })

      it('follows a direct submission and a direct end of a job that was made here', async () => {
        const [poster, worker] = [await platform.newPlayer({ chain, usdc: 100 }), await platform.newPlayer({ chain, usdc: 1 })]
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
        const [client, anybody] = [await outsider(), await outsider()]
        const jobId = await create(client, (await outsider()).address, client.address, hourSeconds)
        await fund(client, jobId)
        await shown(jobId, 'assigned')
        const { provider } = platform.networks[chain]
        await provider.send('evm_increaseTime', [2 * hourSeconds])
        await provider.send('evm_mine', [])
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
