import assert from 'node:assert/strict'
import { id } from 'ethers'
import { interfaceOf } from '../artifact.ts'
import { type Deployment, deployDevnet } from '../deploy/devnet.ts'
import { call } from '../deploy/rpc.ts'
import { laneRoles } from '../roles/lane-roles.ts'
import { advanceRoleChange, type RoleAction } from '../roles/role-change.ts'
import { type Anvil, startAnvil } from '../testing/anvil.ts'
import { people, walletOf } from '../testing/chain.ts'

const chainId = 84532
const next = walletOf('next relayer').address

describe('the roles of a relayer key', () => {
  let anvil: Anvil
  let present: Deployment

  beforeEach(async () => {
    anvil = await startAnvil(chainId)
    const authorities = { operator: people.operator, pauser: people.pauser, proposers: [people.proposer] }
    present = await deployDevnet({ ...authorities, rpcUrl: anvil.rpcUrl, chainId, deployerKey: id('deployer') })
    await call(anvil.rpcUrl, 'evm_setAutomine', true)
  })
  afterEach(() => anvil?.stop())

  const change = (action: RoleAction, address: string, proposerKey: string | undefined = walletOf('proposer').privateKey) =>
    advanceRoleChange({ rpcUrl: anvil.rpcUrl, action, address, present, proposerKey })
  const passTime = (seconds: number) => call(anvil.rpcUrl, 'evm_increaseTime', seconds).then(() => call(anvil.rpcUrl, 'evm_mine'))
  const rolesOf = async (address: string) => {
    const answers = await Promise.all(
      laneRoles('devnet').map(({ contract, hash }) => {
        const data = interfaceOf(contract).encodeFunctionData('hasRole', [hash, address])
        return call<string>(anvil.rpcUrl, 'eth_call', { to: present.addresses[contract], data }, 'latest')
      }),
    )
    return answers.filter(answer => Number(answer) === 1).length
  }
  const all = laneRoles('devnet').length

  it('are all that a deployment gives its operator', async () => {
    assert.equal(await rolesOf(people.operator), all)
  })

  it('are given to another one after the delay of the timelock, and removed from the former one', async () => {
    const first = await change('grant', next)
    assert.deepEqual([first.state, first.roles.length, await rolesOf(next)], ['scheduled', all, 0])
    assert.equal((await change('grant', next)).state, 'scheduled')

    await passTime(61)
    assert.equal((await change('grant', next)).state, 'done')
    assert.deepEqual([await rolesOf(next), await rolesOf(people.operator)], [all, all])

    await change('revoke', people.operator)
    await passTime(61)
    assert.equal((await change('revoke', people.operator)).state, 'done')
    assert.deepEqual([await rolesOf(next), await rolesOf(people.operator)], [all, 0])
    assert.deepEqual(await change('revoke', people.operator), { state: 'done', dueAt: null, roles: [] })
  })

  it('may be given to an address again', async () => {
    for (const action of ['grant', 'revoke', 'grant'] as const) {
      await change(action, next)
      await passTime(61)
      await change(action, next)
    }

    assert.equal(await rolesOf(next), all)
  })

  it('do not follow a change that was scheduled before the opposite one', async () => {
    const former = people.operator
    await change('revoke', former)
    const batch = await scheduled(anvil.rpcUrl, present.addresses.Timelock)

    const shown = await advanceRoleChange({ rpcUrl: anvil.rpcUrl, action: 'grant', address: former, present })
    assert.deepEqual([shown.state, shown.call?.data.slice(0, 10)], ['unscheduled', interfaceOf('Timelock').getFunction('cancel')!.selector])
    assert.deepEqual(await change('grant', former), { state: 'done', dueAt: null, roles: [] })

    await passTime(61)
    const execution = { from: walletOf('stranger').address, to: present.addresses.Timelock, data: batch }
    await assert.rejects(call(anvil.rpcUrl, 'eth_call', execution, 'latest'), /revert|custom error/i)
    assert.equal(await rolesOf(former), all)

    assert.equal((await change('revoke', former)).state, 'scheduled')
    await passTime(61)
    assert.deepEqual([(await change('revoke', former)).state, await rolesOf(former)], ['done', 0])
  })

  it('follow one set of places only', async () => {
    await change('revoke', people.operator)
    const first = await scheduled(anvil.rpcUrl, present.addresses.Timelock)
    const more = { ...present, former: { Escrow: [present.addresses.Escrow] } }
    const run = () =>
      advanceRoleChange({
        rpcUrl: anvil.rpcUrl,
        action: 'revoke',
        address: people.operator,
        present: more,
        proposerKey: walletOf('proposer').privateKey,
      })

    assert.equal((await run()).state, 'scheduled')

    await passTime(61)
    const execution = { from: walletOf('stranger').address, to: present.addresses.Timelock, data: first }
    await assert.rejects(call(anvil.rpcUrl, 'eth_call', execution, 'latest'), /revert|custom error/i)
    assert.deepEqual([(await run()).state, await rolesOf(people.operator)], ['done', 0])
  })

  it('are shown as a call where the proposer is a contract', async () => {
    const progress = await advanceRoleChange({ rpcUrl: anvil.rpcUrl, action: 'grant', address: next, present })

    assert.equal(progress.state, 'unscheduled')
    assert.equal(progress.call?.to, present.addresses.Timelock)
  })
})

/** The execution of what the last transaction has scheduled. */
async function scheduled(rpcUrl: string, timelock: string): Promise<string> {
  const { transactions } = await call<{ transactions: { to: string; input: string }[] }>(rpcUrl, 'eth_getBlockByNumber', 'latest', true)
  const schedule = transactions.find(({ to }) => to?.toLowerCase() === timelock.toLowerCase())!
  const contract = interfaceOf('Timelock')
  const [targets, values, payloads, predecessor, salt] = contract.decodeFunctionData('scheduleBatch', schedule.input)
  return contract.encodeFunctionData('executeBatch', [[...targets], [...values], [...payloads], predecessor, salt])
}
