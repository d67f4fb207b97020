import assert from 'node:assert/strict'
import { escrowApi, limits } from '@carapace/api'
import { newWallet } from '@carapace/testing'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, startHarness, usdc } from '../testing/harness.ts'
import { lockFunds, newGig } from '../testing/scenario.ts'

describe('sources of funds', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  beforeEach(() => {
    harness.reservation = 'held'
  })
  after(async () => {
    await assertHealthy(harness)
    await harness.close()
  })

  const exposed = { 'x-test-exposed': 'yes' }
  const locks = (gigId: string) => harness.commands.filter(({ opKey }) => opKey === `escrow.lock:${gigId}`)
  const statusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
  /** A gig whose poster has the money in its custodial wallet alone. */
  const custodialGig = async () => {
    const scenario = await newGig(harness)
    const custodial = newWallet()
    harness.balances.delete(`${scenario.chain}/${scenario.poster.wallet}`)
    harness.custodial.set(scenario.poster.id, custodial)
    harness.balances.set(`${scenario.chain}/${custodial}`, usdc(40))
    return scenario
  }

  for (const [source, make] of [
    ['an allowance', () => newGig(harness)],
    ['a custodial wallet', custodialGig],
  ] as const) {
    it(`draw on ${source} only for a signed call where strangers can reach plain mode`, async () => {
      const scenario = await make()

      const unsigned = await lockFunds(harness, scenario, exposed)
      const signed = await lockFunds(harness, scenario, { ...exposed, 'x-test-signed-by': scenario.poster.wallet })

      assert.deepEqual(statusAndCode(unsigned), [401, 'SIGNATURE_REQUIRED'])
      assert.equal(signed.status, 201)
      assert.equal(locks(scenario.gigId).length, 1)
    })
  }

  it('accept an authorisation there without a signature of the call, and a deposit requires one too', async () => {
    const scenario = await newGig(harness)
    const authorization = { type: 'eip3009', validBefore: Math.floor(Date.now() / 1000) + 600, signature: `0x${'12'.repeat(65)}` }
    const headers = { ...scenario.poster.headers, ...exposed }

    const bond = await harness.platform.call('POST', `/api/bond/${scenario.poster.id}/deposit`, { body: { amount: 10 }, headers })
    const lock = await harness.platform.call('POST', '/api/escrow/create', { body: { gigId: scenario.gigId, amount: 40, authorization }, headers })

    assert.deepEqual(statusAndCode(bond), [401, 'SIGNATURE_REQUIRED'])
    assert.equal(lock.status, 201)
  })

  it('that the treasury gave back before are none', async () => {
    const scenario = await custodialGig()
    harness.reservation = 'voided'

    const refused = await lockFunds(harness, scenario)
    assert.deepEqual(statusAndCode(refused), [402, 'FUNDS_REQUIRED'])
    assert.equal(locks(scenario.gigId).length, 0)

    harness.reservation = 'held'
    assert.equal((await lockFunds(harness, scenario)).status, 201)
  })

  type Draft = Parameters<typeof harness.platform.call>[2] & { authorization?: object }
  /** Options of the refusal of a budget of 40; `own`, `allowed`, `inWallet`: what the poster's wallet, its allowance and its custodial wallet hold. */
  const optionsOf = async (
    { own = 0, allowed = 0, inWallet }: { own?: number; allowed?: number; inWallet?: number },
    { headers = {}, authorization }: Draft = {},
  ) => {
    const scenario = await newGig(harness)
    const { id, wallet } = scenario.poster
    harness.balances.set(`${scenario.chain}/${wallet}`, usdc(own))
    harness.allowances.set(`${scenario.chain}/${wallet}`, usdc(allowed))
    const custodial = newWallet()
    if (inWallet !== undefined) {
      harness.custodial.set(id, custodial)
      harness.balances.set(`${scenario.chain}/${custodial}`, usdc(inWallet))
    }
    const body = { gigId: scenario.gigId, amount: 40, ...(authorization ? { authorization } : {}) }
    const answer = await harness.platform.call('POST', '/api/escrow/create', { body, headers: { ...scenario.poster.headers, ...headers } })
    assert.deepEqual(statusAndCode(answer), [402, 'FUNDS_REQUIRED'])
    return { options: answer.body.details.options, scenario, custodial }
  }
  const eip3009 = { type: 'eip3009', validAfter: 0, validBefore: 2 ** 40, signature: `0x${'12'.repeat(65)}` }

  it('that fall short say what they have, why, and what to call next', async () => {
    const empty = await optionsOf({})
    const { allowance, authorization, treasury, x402 } = empty.options
    assert.deepEqual(
      [allowance.reason, allowance.available, allowance.required, allowance.next.to],
      ['BALANCE_TOO_LOW', 0, 40, empty.scenario.poster.wallet],
    )
    assert.deepEqual([authorization.reason, authorization.next.types], ['NOT_SENT', ['eip3009', 'eip2612']])
    assert.deepEqual([treasury.reason, treasury.next.path], ['NO_WALLET', `/api/agents/${empty.scenario.poster.id}/treasury/fund`])
    assert.deepEqual([x402.reason, x402.next], ['NOT_ENABLED', null])

    const { options, custodial } = await optionsOf({ own: 50, allowed: 10, inWallet: 15 })
    const { allowance: low } = options
    assert.deepEqual([low.reason, low.walletBalance, low.allowance, low.available], ['ALLOWANCE_TOO_LOW', 50, 10, 10])
    assert.deepEqual([low.next.spender, low.next.amount], [low.spender, '40000000'])
    const { treasury: wallet } = options
    assert.deepEqual(
      [wallet.reason, wallet.available, wallet.missing, wallet.next.to, wallet.next.amount],
      ['BALANCE_TOO_LOW', 15, 25, custodial, 25],
    )
  })

  it('say of an authorisation whether it ran out, holds later only, or the wallet is empty', async () => {
    const now = Math.floor(Date.now() / 1000)
    const { validAfter, ...permit } = { ...eip3009, type: 'eip2612', deadline: now - 1 }
    for (const [authorization, reason] of [
      [{ ...eip3009, validBefore: now - 1 }, 'EXPIRED'],
      [permit, 'EXPIRED'],
      [{ ...eip3009, validAfter: now + 600 }, 'NOT_YET_VALID'],
      [eip3009, 'BALANCE_TOO_LOW'],
    ] as const)
      assert.equal((await optionsOf({ own: 1 }, { authorization })).options.authorization.reason, reason)
  })

  it('say when treasury refused: the daily limit with what is left and when it begins again, a debt, or a reservation given back', async () => {
    const before = harness.spendable
    harness.treasuryRefuses = 'DAILY_LIMIT_REACHED'
    harness.spendable = { dailyLimit: usdc(50), remaining: usdc(12) }
    const limited = (await optionsOf({ inWallet: 40 })).options.treasury
    harness.treasuryRefuses = 'INSUFFICIENT_BALANCE'
    harness.spendable = { dailyLimit: usdc(50), remaining: usdc(50), debt: usdc(3) }
    const inDebt = (await optionsOf({ inWallet: 40 })).options.treasury
    harness.treasuryRefuses = undefined
    harness.spendable = before
    harness.reservation = 'voided'
    const voided = (await optionsOf({ inWallet: 40 })).options.treasury
    harness.spendable = undefined
    const away = (await optionsOf({ inWallet: 40 })).options.treasury
    harness.spendable = before

    const { reason, dailyLimit, remaining, resetsAt, next } = limited
    assert.deepEqual([reason, dailyLimit, remaining, resetsAt], ['DAILY_LIMIT_REACHED', 50, 12, '2026-01-02T00:00:00.000Z'])
    assert.equal(next.method, 'PATCH')
    assert.deepEqual([inDebt.reason, inDebt.debt, voided.reason, away.reason], ['IN_DEBT', 3, 'GIVEN_BACK', 'UNKNOWN'])
  })

  it('show no balance to a caller that is not proven', async () => {
    const { allowance, authorization, treasury } = (await optionsOf({ own: 7, allowed: 8, inWallet: 9 }, { headers: exposed })).options

    assert.deepEqual([allowance.reason, authorization.reason, treasury.reason], ['NOT_PROVEN', 'NOT_SENT', 'NOT_PROVEN'])
    const names = ['walletBalance', 'allowance', 'available', 'missing', 'dailyLimit', 'remaining', 'debt']
    assert.deepEqual(
      [allowance, authorization, treasury].map(source => names.filter(name => name in source)),
      [[], [], []],
    )
  })

  it('of x402 are quoted nothing that the cap on all escrows would refuse', async () => {
    const { gigId, poster } = await newGig(harness)
    const { peers, db } = harness.platform.service('escrow').platform
    const row = db.connection.collection<{ _id: string; total: bigint }>('control')
    const quote = async () =>
      (await peers.call('escrow', escrowApi.internal.quoteFunding, { body: { request: { gigId, agentId: poster.id }, caller: null } })).refusal?.code
    const { total } = (await row.findOne({ _id: 'tvl' }))!
    await row.updateOne({ _id: 'tvl' }, { $set: { total: limits.escrow.tvlMicro - 1n } })
    const full = await quote()
    await row.updateOne({ _id: 'tvl' }, { $set: { total } })

    assert.deepEqual([full, await quote()], ['TVL_CAP_REACHED', undefined])
  })

  it('are explained for a deposit of stake too, and by fund-escrow to the poster alone', async () => {
    const { scenario } = await optionsOf({ own: 5 })
    const { id, headers } = scenario.poster

    const bond = await harness.platform.call('POST', `/api/bond/${id}/deposit`, { body: { amount: 10 }, headers })
    const fund = (caller: Record<string, string>) =>
      harness.platform.call('POST', '/api/agent-payments/fund-escrow', { body: { gigId: scenario.gigId, agentId: id }, headers: caller })
    const [own, anybody] = [await fund(headers), await fund({})]

    const { allowance, treasury, x402 } = bond.body.details.options
    assert.deepEqual([allowance.reason, allowance.available, allowance.required], ['BALANCE_TOO_LOW', 0, 10])
    assert.deepEqual([treasury.reason, x402.reason], ['NO_WALLET', 'NOT_OFFERED'])
    assert.deepEqual([statusAndCode(own), own.body.details.options.allowance.walletBalance], [[402, 'FUNDS_REQUIRED'], 5])
    assert.deepEqual([statusAndCode(anybody), anybody.body.details.options], [[402, 'FUNDS_REQUIRED'], {}])
  })
})
