import assert from 'node:assert/strict'
import { onChainKey } from '@carapace/chain'
import { interfaceOf } from '@carapace/contracts'
import { daySeconds, doctorChecks, newWallet, type Player, until } from '@carapace/testing'
import { Contract } from 'ethers'
import { replacementAroundTests } from '../../testing/around-tests.ts'
import { untilHealthy } from '../../testing/health.ts'
import { deliver, fundedJob, gigIs, type Job, micro, openPanel, vote } from '../../testing/job.ts'
import { assertPaid, newValidators } from '../../testing/scenarios.ts'

const chain = 'BASE_SEPOLIA'
/** As the contract numbers them. */
const Status = { None: 0n, Approved: 2n } as const

describe('a SwarmValidator and its Bond that are replaced', function () {
  this.timeout(300_000)
  const { platform, start, replace } = replacementAroundTests(chain, 'SwarmValidator', {
    INTERNAL_KEY: '5d'.repeat(32),
    X402_PAY_TO_ADDRESS: newWallet(),
  })
  let contracts: Awaited<ReturnType<typeof replace>>
  let staked: Player
  let leaving: Player
  let opened: Job & { id: string; panel: string[] }
  before(async () => {
    await newValidators(platform)
    staked = await platform.newPlayer({ usdc: 200, prefix: 'staked' })
    leaving = await platform.newPlayer({ usdc: 100, prefix: 'leaving' })
    await deposit(staked, 50)
    await deposit(leaving, 20)
    const job = await fundedJob(platform)
    await deliver(platform, job)
    opened = { ...job, ...(await openPanel(platform, job)) }
    await vote(platform, opened.id, opened.panel.slice(0, 1), 'approve')
    contracts = await replace()
    await start()
  })

  const statusOf = (player: Player) => platform.get(`/api/bond/${player.id}/status`)
  const freeIs = (player: Player, usd: number) => until(`${usd} USDC are free`, async () => (await statusOf(player)).availableBond === usd)
  /** Posts what changes the free stake by so much, and waits until it has. */
  const change = async (player: Player, by: number, ...post: Parameters<typeof platform.post>) => {
    const before = (await statusOf(player)).availableBond
    const answer = await platform.post(...post)
    await freeIs(player, before + by)
    return answer
  }
  const deposit = (player: Player, amount: number) => change(player, amount, `/api/bond/${player.id}/deposit`, { amount }, player.headers)
  const withdraw = (player: Player, amount: number) => change(player, -amount, `/api/bond/${player.id}/withdraw`, { amount }, player.headers)
  const reason = 'For the test'
  const slash = async (player: Player, amount: number): Promise<string> =>
    (await change(player, -amount, `/api/bond/${player.id}/slash`, { amount, reason }, platform.admin)).slash.id
  const payBack = (player: Player, slashId: string, amount: number) =>
    change(player, amount, `/api/admin/slashes/${slashId}/reverse`, { reason }, platform.admin)
  /** What the four contracts hold. */
  const held = async () => {
    const { before, after } = contracts
    const of = (address: string) => platform.usdcOf(chain, address)
    return {
      bonds: [await of(before.Bond), await of(after.Bond)],
      pools: [await of(before.SwarmValidator), await of(after.SwarmValidator)],
    }
  }
  const statusOn = async (address: string, validationId: string) => {
    const contract = new Contract(address, interfaceOf('SwarmValidator'), platform.networks[chain].provider)
    return (await contract.getFunction('getValidation')(onChainKey(validationId))).status
  }
  const approve = async (job: Job, id: string, voters: readonly string[]) => {
    await vote(platform, id, voters, 'approve')
    await gigIs(platform, job.gigId, 'completed')
    await assertPaid(platform, job)
  }

  it('leave a panel where it was opened, open new ones on the new contract, and rewards in the pool of the fees', async () => {
    const { before, after } = contracts
    await approve(opened, opened.id, opened.panel.slice(1, 2))
    const job = await fundedJob(platform)
    await deliver(platform, job)
    const { id, panel } = await openPanel(platform, job)
    await approve(job, id, panel.slice(0, 2))

    const places = (validationId: string) => Promise.all([before, after].map(({ SwarmValidator }) => statusOn(SwarmValidator, validationId)))
    await until('the former one has decided its own', async () => (await statusOn(before.SwarmValidator, opened.id)) === Status.Approved)
    await until('the new one has decided its own', async () => (await statusOn(after.SwarmValidator, id)) === Status.Approved)
    assert.deepEqual(await places(opened.id), [Status.Approved, Status.None])
    assert.deepEqual(await places(id), [Status.None, Status.Approved])

    const voter = await platform.get(`/api/agents/${panel[0]}`)
    const headers = { 'x-agent-id': voter.id, 'x-wallet-address': voter.walletAddress }
    const funded = (await held()).pools[0]!
    await until('its reward is paid', async () => {
      const { status } = await platform.call('POST', '/api/swarm/claim-rewards', { body: { agentId: voter.id }, headers })
      assert.ok(status < 300, String(status))
      return (await held()).pools[0]! < funded
    })
    assert.equal((await held()).pools[1], 0n)
    await untilHealthy(platform, 60)
  })

  it('leave each stake where it is, slashed into the pool of its own contract and paid back from it', async () => {
    const fresh = await platform.newPlayer({ usdc: 100, prefix: 'fresh' })
    await deposit(fresh, 60)
    await deposit(staked, 10)
    assert.deepEqual((await held()).bonds, [micro(80), micro(60)])
    const before = await held()

    const slashes = [await slash(fresh, 5), await slash(staked, 3)]
    const after = await held()
    assert.deepEqual(after.bonds, [micro(77), micro(55)])
    assert.deepEqual(after.pools, [before.pools[0]! + micro(3), micro(5)])
    await untilHealthy(platform, 60)

    await payBack(fresh, slashes[0]!, 5)
    await payBack(staked, slashes[1]!, 3)
    assert.deepEqual(await held(), before)
    const job = await fundedJob(platform, { worker: fresh, bondRequired: 20 })
    await deliver(platform, job)
    const { id, panel } = await openPanel(platform, job)
    await approve(job, id, panel.slice(0, 2))
    await freeIs(fresh, 60)
    await untilHealthy(platform, 60)
  })

  it('are audited each by its own balance', async () => {
    const bonds = platform.service('escrow').platform.db.connection.collection<{ _id: string; contract?: string }>('bonds')
    await bonds.updateOne({ _id: staked.id }, { $set: { contract: contracts.after.Bond } })
    const checks = await doctorChecks(platform, 'escrow')
    await bonds.updateOne({ _id: staked.id }, { $unset: { contract: 1 } })

    assert.deepEqual(checks.find(({ name }) => name === 'contracts')?.detail, [
      `${chain}: bond ${contracts.after.Bond} owes ${micro(120)} and holds ${micro(60)}`,
    ])
  })

  it('are audited each by the account of each agent', async () => {
    const bonds = platform.service('escrow').platform.db.connection.collection<{ _id: string; wallet: string }>('bonds')
    await bonds.updateOne({ _id: staked.id }, { $set: { wallet: newWallet() } })
    await doctorChecks(platform, 'escrow')
    // until then it could be something that has yet to be followed
    await platform.advance(180)
    const checks = await doctorChecks(platform, 'escrow')
    await bonds.updateOne({ _id: staked.id }, { $set: { wallet: staked.wallet.address } })

    const { totalBonded } = await statusOf(staked)
    assert.deepEqual(checks.find(({ name }) => name === 'stakes')?.detail, [
      `${chain}: bond ${staked.id} counts ${micro(totalBonded)}, its contract has 0 of it`,
    ])
    await untilHealthy(platform, 60)
  })

  it('count a stake that its agent made on the other contract itself for nobody, until the own one is empty for a day', async () => {
    const { provider } = platform.networks[chain]
    const contract = new Contract(contracts.after.Bond, interfaceOf('Bond'), leaving.wallet.connect(provider))
    const direct = async (fn: string, amount: number) => (await contract.getFunction(fn)(micro(amount))).wait()
    await platform.approve(leaving, chain)
    const other = await platform.newPlayer({ usdc: 100, prefix: 'other' })
    await direct('deposit', 15)
    // logs are followed in their order
    await (await new Contract(contracts.after.Bond, interfaceOf('Bond'), other.wallet.connect(provider)).getFunction('deposit')(micro(11))).wait()
    await freeIs(other, 11)
    assert.equal((await statusOf(leaving)).totalBonded, 20)

    await withdraw(leaving, 20)
    const { bonds } = await held()
    await deposit(leaving, 10)
    assert.deepEqual((await held()).bonds, [bonds[0]! + micro(10), bonds[1]])
    await withdraw(leaving, 10)
    await platform.advance(daySeconds + 1)
    const refused = await platform.call('POST', `/api/bond/${leaving.id}/deposit`, { body: { amount: 20 }, headers: leaving.headers })
    assert.deepEqual([refused.status, refused.body.code], [409, 'INVALID_STATE'])
    await direct('withdraw', 15)
    await deposit(leaving, 20)

    assert.deepEqual((await held()).bonds, [bonds[0], bonds[1]! + micro(20 - 15)])
    assert.equal((await statusOf(leaving)).totalBonded, 20)
    await untilHealthy(platform, 60)
  })
})
