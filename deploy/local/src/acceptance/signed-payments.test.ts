import assert from 'node:assert/strict'
import { type Chain, chains } from '@carapace/api'
import { onChainKey } from '@carapace/chain'
import { type Player, until } from '@carapace/testing'
import { parseUnits } from 'ethers'
import { platformAroundTests } from '../testing/around-tests.ts'
import { actOnJob, commerceJobIs, commerceJobOf, newCommerceJob } from '../testing/commerce-job.ts'
import { registrationOutcome } from '../testing/registration.ts'
import { authorizationOf, permitOf } from '../testing/signed-money.ts'

const price = parseUnits('5', 6)

describe('a signature in the body that pays for a job or a name', function () {
  this.timeout(180_000)
  const platform = platformAroundTests()

  const permit = (chain: Chain, player: Player, spender: string, value: bigint, deadline?: number) =>
    permitOf(platform, chain, player, { spender, value, ...(deadline === undefined ? {} : { deadline }) })
  const authorization = (chain: Chain, player: Player, to: string, value: bigint, nonce: string) =>
    authorizationOf(platform, chain, player, { to, value, nonce })
  /** An agent with money, and no allowance. */
  const holder = async (chain: Chain, usdc: number) => {
    const player = await platform.newPlayer({ chain })
    await platform.faucet(player.wallet.address, usdc, chain)
    return player
  }
  const usdcOf = (chain: Chain, { wallet }: Player) => platform.usdcOf(chain, wallet.address)
  const own = ({ wallet }: Player) => ({ 'x-wallet-address': wallet.address })
  const fund = (jobId: string, poster: Player, body: object) =>
    platform.call('POST', `/api/erc8183/jobs/${jobId}/fund`, { body, headers: own(poster) })
  const register = async (player: Player, name: string, more: object = {}) => {
    const body = { name, tld: '.agent', pricePaid: 5, ...more }
    return registrationOutcome(platform, await platform.call('POST', '/api/domains/register', { body, headers: own(player) }))
  }

  it('funds a job by a permit, once, also when it is sent again', async () => {
    const chain = 'BASE_SEPOLIA'
    const poster = await holder(chain, 30)
    const { jobId, budget } = await newCommerceJob(platform, { poster })
    const body = { authorization: await permit(chain, poster, platform.networks[chain].contracts.commerce, parseUnits(String(budget), 6)) }

    await actOnJob(platform, jobId, '/fund', body, own(poster))
    await commerceJobIs(platform, jobId, 'funded')

    assert.equal((await commerceJobOf(platform, jobId)).fundedFrom.kind, 'authorization')
    assert.equal((await fund(jobId, poster, body)).status, 409)
    assert.equal(await usdcOf(chain, poster), parseUnits('10', 6))
  })

  it('funds no job with a permit of somebody else, or an expired one, and nothing is moved', async () => {
    const chain = 'BASE_SEPOLIA'
    const [poster, other] = [await holder(chain, 30), await holder(chain, 30)]
    const { jobId, budget } = await newCommerceJob(platform, { poster })
    const { commerce } = platform.networks[chain].contracts
    const amount = parseUnits(String(budget), 6)

    const expired = await fund(jobId, poster, { authorization: await permit(chain, poster, commerce, amount, Math.floor(Date.now() / 1000) - 3_600) })
    const { authorization: lacking, nonce } = expired.body.details.options
    assert.deepEqual([expired.status, lacking.reason, nonce], [402, 'EXPIRED', onChainKey(jobId)])
    const foreign = await fund(jobId, poster, { authorization: await permit(chain, other, commerce, amount) })
    assert.ok([202, 402].includes(foreign.status), JSON.stringify(foreign.body))
    await until('the funding has ended', async () => (await commerceJobOf(platform, jobId)).onChain.status === 'confirmed')
    await commerceJobIs(platform, jobId, 'open')
    assert.deepEqual([await usdcOf(chain, poster), await usdcOf(chain, other)], [parseUnits('30', 6), parseUnits('30', 6)])
  })

  it('funds no job on the network whose jobs are funded from an allowance', async () => {
    const chain = 'SKALE_TESTNET'
    const poster = await holder(chain, 30)
    const { jobId, budget } = await newCommerceJob(platform, { poster, chain })
    const { commerce } = platform.networks[chain].contracts
    const amount = parseUnits(String(budget), 6)
    const bodies = [await permit(chain, poster, commerce, amount), await authorization(chain, poster, commerce, amount, onChainKey(jobId))]
    for (const body of bodies) {
      const { status, body: answer } = await fund(jobId, poster, { authorization: body })
      assert.deepEqual([status, answer.details.options.authorization.reason], [402, 'NOT_OFFERED'])
    }
    assert.equal(await usdcOf(chain, poster), parseUnits('30', 6))
  })

  for (const chain of chains) {
    it(`buys a name on ${chain} by a permit, once, also when it is sent again`, async () => {
      const player = await holder(chain, 20)
      const name = `permit-${player.handle.slice(-8)}`
      const body = { authorization: await permit(chain, player, platform.networks[chain].contracts.domains, price) }

      const answers = [await register(player, name, body), await register(player, name, body)]

      assert.deepEqual(
        answers.map(({ status, body: { code } }) => [status, code]),
        [
          [201, undefined],
          [409, 'NAME_TAKEN'],
        ],
      )
      assert.equal(await usdcOf(chain, player), parseUnits('15', 6))
    })

    it(`buys a name on ${chain} by an authorisation, once, and no other name by the same`, async () => {
      const player = await holder(chain, 20)
      const name = `signed-${player.handle.slice(-8)}`
      const { nonce, onchain } = (await register(player, name)).body.details.options
      const body = { authorization: await authorization(chain, player, onchain.contract, price, nonce) }

      const answers = [await register(player, name, body), await register(player, `${name}-2`, body)]

      assert.equal(answers[0]?.status, 201, JSON.stringify(answers[0]?.body))
      assert.ok(Number(answers[1]?.status) >= 400, JSON.stringify(answers[1]?.body))
      assert.equal(await usdcOf(chain, player), parseUnits('15', 6))
      assert.equal((await platform.get(`/api/domains/wallet/${player.wallet.address}`)).total, 1)
    })
  }
})
