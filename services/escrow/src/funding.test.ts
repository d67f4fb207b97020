import assert from 'node:assert/strict'
import { newWallet } from '@carapace/testing'
import { lockFunds, newGig } from './testing/story.ts'
import { assertWell } from './testing/well.ts'
import { startWorld, usdc, type World } from './testing/world.ts'

describe('sources of funds', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  beforeEach(() => {
    world.reservation = 'held'
  })
  after(async () => {
    await assertWell(world)
    await world.close()
  })

  const exposed = { 'x-test-exposed': 'yes' }
  const locks = (gigId: string) => world.commands.filter(({ opKey }) => opKey === `escrow.lock:${gigId}`)
  const said = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
  /** A gig whose poster has the money in its custodial wallet alone. */
  const custodialGig = async () => {
    const story = await newGig(world)
    const custodial = newWallet()
    world.balances.delete(`${story.chain}/${story.poster.wallet}`)
    world.custodial.set(story.poster.id, custodial)
    world.balances.set(`${story.chain}/${custodial}`, usdc(40))
    return story
  }

  for (const [source, make] of [
    ['an allowance', () => newGig(world)],
    ['a custodial wallet', custodialGig],
  ] as const) {
    it(`draw on ${source} only for a signed call where strangers can reach plain mode`, async () => {
      const story = await make()

      const unsigned = await lockFunds(world, story, exposed)
      const signed = await lockFunds(world, story, { ...exposed, 'x-test-signed-by': story.poster.wallet })

      assert.deepEqual(said(unsigned), [401, 'SIGNATURE_REQUIRED'])
      assert.equal(signed.status, 201)
      assert.equal(locks(story.gigId).length, 1)
    })
  }

  it('take an authorisation there without a signature of the call, and a deposit asks for one too', async () => {
    const story = await newGig(world)
    const authorization = { type: 'eip3009', validBefore: Math.floor(Date.now() / 1000) + 600, signature: `0x${'12'.repeat(65)}` }
    const headers = { ...story.poster.headers, ...exposed }

    const bond = await world.platform.call('POST', `/api/bond/${story.poster.id}/deposit`, { body: { amount: 10 }, headers })
    const lock = await world.platform.call('POST', '/api/escrow/create', { body: { gigId: story.gigId, amount: 40, authorization }, headers })

    assert.deepEqual(said(bond), [401, 'SIGNATURE_REQUIRED'])
    assert.equal(lock.status, 201)
  })

  it('that the treasury gave back before are none', async () => {
    const story = await custodialGig()
    world.reservation = 'voided'

    const refused = await lockFunds(world, story)
    assert.deepEqual(said(refused), [402, 'FUNDS_REQUIRED'])
    assert.equal(locks(story.gigId).length, 0)

    world.reservation = 'held'
    assert.equal((await lockFunds(world, story)).status, 201)
  })

  type Draft = Parameters<typeof world.platform.call>[2] & { authorization?: object }
  /** Options of the refusal of a budget of 40; `own`, `allowed`, `kept`: what the poster's wallet, its allowance and its custodial wallet hold. */
  const optionsOf = async (
    { own = 0, allowed = 0, kept }: { own?: number; allowed?: number; kept?: number },
    { headers = {}, authorization }: Draft = {},
  ) => {
    const story = await newGig(world)
    const { id, wallet } = story.poster
    world.balances.set(`${story.chain}/${wallet}`, usdc(own))
    world.allowances.set(`${story.chain}/${wallet}`, usdc(allowed))
    const custodial = newWallet()
    if (kept !== undefined) {
      world.custodial.set(id, custodial)
      world.balances.set(`${story.chain}/${custodial}`, usdc(kept))
    }
    const body = { gigId: story.gigId, amount: 40, ...(authorization ? { authorization } : {}) }
    const answer = await world.platform.call('POST', '/api/escrow/create', { body, headers: { ...story.poster.headers, ...headers } })
    assert.deepEqual(said(answer), [402, 'FUNDS_REQUIRED'])
    return { options: answer.body.details.options, story, custodial }
  }
  const eip3009 = { type: 'eip3009', validAfter: 0, validBefore: 2 ** 40, signature: `0x${'12'.repeat(65)}` }

  it('that fall short say what they have, why, and what to call next', async () => {
    const empty = await optionsOf({})
    const { allowance, authorization, treasury, x402 } = empty.options
    assert.deepEqual(
      [allowance.reason, allowance.available, allowance.required, allowance.next.to],
      ['BALANCE_TOO_LOW', 0, 40, empty.story.poster.wallet],
    )
    assert.deepEqual([authorization.reason, authorization.next.types], ['NOT_SENT', ['eip3009', 'eip2612']])
    assert.deepEqual([treasury.reason, treasury.next.path], ['NO_WALLET', `/api/agents/${empty.story.poster.id}/treasury/fund`])
    assert.deepEqual([x402.reason, x402.next], ['NOT_ENABLED', null])

    const { options, custodial } = await optionsOf({ own: 50, allowed: 10, kept: 15 })
    const { allowance: low } = options
    assert.deepEqual([low.reason, low.walletBalance, low.allowance, low.available], ['ALLOWANCE_TOO_LOW', 50, 10, 10])
    assert.deepEqual([low.next.spender, low.next.amount], [low.spender, '40000000'])
    const kept = options.treasury
    assert.deepEqual([kept.reason, kept.available, kept.missing, kept.next.to, kept.next.amount], ['BALANCE_TOO_LOW', 15, 25, custodial, 25])
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
    const before = world.spendable
    world.treasuryRefuses = 'DAILY_LIMIT_REACHED'
    world.spendable = { dailyLimit: usdc(50), remaining: usdc(12) }
    const limited = (await optionsOf({ kept: 40 })).options.treasury
    world.treasuryRefuses = 'INSUFFICIENT_BALANCE'
    world.spendable = { dailyLimit: usdc(50), remaining: usdc(50), debt: usdc(3) }
    const owing = (await optionsOf({ kept: 40 })).options.treasury
    world.treasuryRefuses = undefined
    world.spendable = before
    world.reservation = 'voided'
    const voided = (await optionsOf({ kept: 40 })).options.treasury
    world.spendable = undefined
    const away = (await optionsOf({ kept: 40 })).options.treasury
    world.spendable = before

    const { reason, dailyLimit, remaining, resetsAt, next } = limited
    assert.deepEqual([reason, dailyLimit, remaining, resetsAt], ['DAILY_LIMIT_REACHED', 50, 12, '2026-01-02T00:00:00.000Z'])
    assert.equal(next.method, 'PATCH')
    assert.deepEqual([owing.reason, owing.debt, voided.reason, away.reason], ['IN_DEBT', 3, 'GIVEN_BACK', 'UNKNOWN'])
  })

  it('show no balance to a caller that is not proven', async () => {
    const { allowance, authorization, treasury } = (await optionsOf({ own: 7, allowed: 8, kept: 9 }, { headers: exposed })).options

    assert.deepEqual([allowance.reason, authorization.reason, treasury.reason], ['NOT_PROVEN', 'NOT_SENT', 'NOT_PROVEN'])
    const names = ['walletBalance', 'allowance', 'available', 'missing', 'dailyLimit', 'remaining', 'debt']
    assert.deepEqual(
      [allowance, authorization, treasury].map(source => names.filter(name => name in source)),
      [[], [], []],
    )
  })

  it('are explained for a deposit of stake too, and by fund-escrow to the poster alone', async () => {
    const { story } = await optionsOf({ own: 5 })
    const { id, headers } = story.poster

    const bond = await world.platform.call('POST', `/api/bond/${id}/deposit`, { body: { amount: 10 }, headers })
    const fund = (who: Record<string, string>) =>
      world.platform.call('POST', '/api/agent-payments/fund-escrow', { body: { gigId: story.gigId, agentId: id }, headers: who })
    const [own, anybody] = [await fund(headers), await fund({})]

    const { allowance, treasury, x402 } = bond.body.details.options
    assert.deepEqual([allowance.reason, allowance.available, allowance.required], ['BALANCE_TOO_LOW', 0, 10])
    assert.deepEqual([treasury.reason, x402.reason], ['NO_WALLET', 'NOT_OFFERED'])
    assert.deepEqual([said(own), own.body.details.options.allowance.walletBalance], [[402, 'FUNDS_REQUIRED'], 5])
    assert.deepEqual([said(anybody), anybody.body.details.options], [[402, 'FUNDS_REQUIRED'], {}])
  })
})
