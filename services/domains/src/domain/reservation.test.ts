import assert from 'node:assert/strict'
import { dayMs, Refusal } from '@carapace/api'
import type { ObservedOutcome } from '@carapace/chain'
import { codeOf } from '@carapace/testing'
import { applyDomainOutcome, dropped } from './apply-domain-outcome.ts'
import type { Domain } from './domain.ts'
import { salePostings } from './postings.ts'
import { faultOf, priceOf } from './price.ts'
import { requestDeletion, requestTransfer } from './requests.ts'
import { drop, type Reservation, reserve } from './reservation.ts'
import { domainView } from './views.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const later = (ms: number) => new Date(now.getTime() + ms)
const [ownerWallet, otherWallet, payer] = ['11', '22', '33'].map(byte => `0x${byte.repeat(20)}`) as [string, string, string]
const uuid = (n: number) => `0190a5d0-0000-7000-8000-${String(n).padStart(12, '0')}`
const [ownerId, otherId] = [uuid(1), uuid(2)]
const txHash = `0x${'ab'.repeat(32)}`

const request = (more: Partial<Reservation> = {}): Reservation => ({
  id: uuid(9),
  name: 'alice',
  tld: '.molt',
  chain: 'BASE_SEPOLIA',
  registries: [payer],
  agentId: ownerId,
  wallet: ownerWallet,
  operationId: 'op-1',
  freeSlot: undefined,
  sale: null,
  source: undefined,
  texts: [],
  now,
  deadline: later(900_000),
  ...more,
})
const paid = request({ tld: '.claw', sale: { price: 50_000_000n, kind: 'allowance', payer }, source: { kind: 'allowance' } })
const change = { wallet: ownerWallet, operationId: 'op-2', now, deadline: later(900_000) }

/** The name after these outcomes of its n-th operation; those that say nothing new leave it as it is. */
const after = (domain: Domain, n: number, ...outcomes: [is: ObservedOutcome['is'], seq: number, round?: number][]): Domain =>
  outcomes.reduce(
    (state, [is, seq, round = 1]) => applyDomainOutcome(state, n, { is, seq, round, txHash, blockNumber: 5, error: 'REVERTED' }, now)?.state ?? state,
    domain,
  )
const active = (of: Reservation = request()) => after(reserve(undefined, of).state, 1, ['confirmed', 1])
const deleted = () => after(requestDeletion(active(), change).state, 2, ['confirmed', 1])

describe('a name', () => {
  const faults: [string, ReturnType<typeof faultOf>][] = [
    ['ab', 'invalid'],
    ['a'.repeat(33), 'invalid'],
    ['-ab', 'invalid'],
    ['a--b', 'invalid'],
    ['a_b', 'invalid'],
    ['oracle', 'reserved'],
    ['a-b', undefined],
    ['a'.repeat(32), undefined],
  ]
  for (const [name, fault] of faults)
    it(`${name} is ${fault ?? 'registrable'}`, () => {
      assert.equal(faultOf(name), fault)
    })

  const prices: [string, Parameters<typeof priceOf>[1], number][] = [
    ['abc', '.molt', 0],
    ['abc', '.claw', 50],
    ['abc', '.shell', 100],
    ['abc', '.pinch', 25],
    ['abc', '.agent', 60],
    ['abcd', '.agent', 20],
    ['abcde', '.agent', 8],
    ['abcdefghi', '.agent', 8],
    ['abcdefghij', '.agent', 5],
  ]
  for (const [name, tld, price] of prices)
    it(`${name}${tld} costs ${price} USDC`, () => {
      assert.equal(priceOf(name, tld), BigInt(price) * 1_000_000n)
    })
})

describe('the registration of a name', () => {
  it('is refused while the name is reserved, and while somebody owns it', () => {
    const reserved = reserve(undefined, request()).state
    for (const present of [reserved, active()])
      assert.equal(
        codeOf(() => reserve(present, request({ wallet: otherWallet, agentId: otherId }))),
        'NAME_TAKEN',
      )
  })

  it('waits for treasury before its command is sent', () => {
    const { state, events } = reserve(undefined, { ...paid, source: undefined })
    assert.deepEqual([state.status, events.length], ['funding', 0])
  })

  it('is free again after its command failed for good, under another number', () => {
    const failed = after(reserve(undefined, paid).state, 1, ['submitted', 1], ['failed', 2])
    assert.deepEqual(
      [failed.status, failed.ownerWallet, salePostings(paid.sale ? reserve(undefined, paid).state : undefined, failed)],
      ['free', null, []],
    )
    assert.equal(reserve(failed, request({ wallet: otherWallet, agentId: otherId })).state.operations.at(-1)?.n, 2)
  })

  it('books its price once, and reverses that when the chain drops the sale for good', () => {
    const reserved = reserve(undefined, paid).state
    const confirmed = after(reserved, 1, ['confirmed', 1])
    const repeated = after(confirmed, 1, ['confirmed', 1], ['confirmed', 3])
    const dropped = after(repeated, 1, ['reorged', 4], ['failed', 5])

    const [entry] = salePostings(reserved, confirmed)
    assert.deepEqual(entry?.lines, [
      { account: `ext:${payer}`, debit: 50_000_000n, credit: 0n },
      { account: 'domain-income', debit: 0n, credit: 50_000_000n },
    ])
    assert.deepEqual(salePostings(confirmed, repeated), [])
    assert.deepEqual(salePostings(repeated, dropped)[0]?.lines[0], { account: 'domain-income', debit: 50_000_000n, credit: 0n })
    assert.deepEqual([dropped.status, dropped.ownerWallet], ['free', null])
  })

  it('has its effect when an operator retried its failed command', () => {
    const failed = after(reserve(undefined, paid).state, 1, ['failed', 1])
    const confirmed = after(failed, 1, ['confirmed', 2, 2])
    assert.deepEqual([confirmed.status, confirmed.ownerWallet, salePostings(failed, confirmed).length], ['active', ownerWallet, 1])
  })
})

describe('a name whose failed mint the chain includes after all, while another buyer has reserved it', () => {
  const second = { ...paid, wallet: otherWallet, agentId: otherId, operationId: 'op-2', sale: { ...paid.sale!, payer: otherWallet } }
  const failedFirst = () => after(reserve(undefined, paid).state, 1, ['failed', 2])
  const included = (of: Reservation = second) => after(reserve(failedFirst(), of).state, 1, ['confirmed', 3])
  const restored = () => after(included(), 2, ['failed', 1])
  const summary = ({ status, ownerWallet: owner, agentId, operations }: Domain) => [
    status,
    owner,
    agentId,
    operations.map(({ sale }) => sale?.isBooked),
  ]
  const isOfFirst = ['active', ownerWallet, ownerId, [true, false]]

  it('is the first buyer’s once the other mint has failed, with its sale booked once', () => {
    const { state, events } = applyDomainOutcome(
      included(),
      2,
      { is: 'failed', seq: 1, round: 1, txHash: null, error: 'REVERTED: Domain_Taken' },
      now,
    )!

    assert.deepEqual(summary(state), isOfFirst)
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.ownerWallet, data.pricePaid]),
      [['domains.domain.registered.v1', ownerWallet, '50000000']],
    )
    assert.deepEqual([salePostings(failedFirst(), included()).length, salePostings(included(), state).length], [1, 0])
  })

  it('is the first buyer’s once treasury has refused the other one', () => {
    const { state } = dropped(included({ ...second, source: undefined }), 'FUNDS_REQUIRED', now, true)

    assert.deepEqual(summary(state), isOfFirst)
  })

  it('shows the sale that was made', () => {
    const view = domainView({ ...restored(), version: 1, createdAt: now, updatedAt: now }, () => undefined, now)

    assert.deepEqual([view.pricePaid, view.txHash, view.onChain.status], [50, txHash, 'confirmed'])
  })

  it('is the other buyer’s where the chain has dropped the first mint again', () => {
    const again = after(included(), 1, ['reorged', 4], ['failed', 5])

    assert.deepEqual(summary(after(again, 2, ['confirmed', 1])), ['active', otherWallet, otherId, [false, true]])
    assert.deepEqual(summary(after(again, 2, ['failed', 1])), ['free', null, null, [false, false]])
  })

  it('is free once the chain has dropped the first mint for good, after the other one', () => {
    assert.deepEqual(summary(after(restored(), 1, ['reorged', 4], ['failed', 5])), ['free', null, null, [false, false]])
  })

  it('stays with its owner when an operator retries the other mint in vain', () => {
    const sent = after(requestTransfer(restored(), { ...change, to: payer, toAgentId: null }).state, 3, ['confirmed', 1])

    for (const domain of [restored(), sent]) {
      const { status, ownerWallet: owner } = after(domain, 2, ['failed', 2, 2])
      assert.deepEqual([status, owner], ['active', domain.ownerWallet])
    }
  })

  it('is the first buyer’s where the other mint was in a block that the first one has replaced', () => {
    const minted = after(reserve(failedFirst(), second).state, 2, ['confirmed', 1], ['reorged', 2])
    const replaced = after(after(minted, 1, ['confirmed', 3]), 2, ['failed', 3])

    assert.deepEqual(summary(replaced), isOfFirst)
  })

  it('is on the network and in the registry of the first mint', () => {
    const elsewhere = after(reserve(failedFirst(), { ...second, chain: 'SKALE_TESTNET', registries: [otherWallet] }).state, 1, ['confirmed', 3])
    const { chain, registry } = after(elsewhere, 2, ['failed', 1])

    assert.deepEqual([elsewhere.chain, chain, registry], ['SKALE_TESTNET', 'BASE_SEPOLIA', payer])
    const [entry] = salePostings(failedFirst(), elsewhere)
    assert.equal(entry?.chain, 'BASE_SEPOLIA')
  })

  it('rests on after a deletion that the chain has made since', () => {
    const again = reserve(after(requestDeletion(active(paid), change).state, 2, ['confirmed', 1]), { ...paid, operationId: 'op-3' }).state

    assert.equal(after(again, 3, ['failed', 1]).status, 'released')
  })

  it('is its former owner’s where that has reserved it twice', () => {
    const once = after(reserve(deleted(), request({ operationId: 'op-3' })).state, 3, ['failed', 1])
    const twice = after(reserve(once, request({ operationId: 'op-4' })).state, 4, ['failed', 1])

    const { status, dueAt, ownerWallet: owner } = after(twice, 3, ['confirmed', 2])

    assert.deepEqual([status, dueAt, owner], ['active', undefined, ownerWallet])
  })
})

describe('the transfer of a name', () => {
  const transfer = { ...change, to: otherWallet, toAgentId: otherId }

  it('is for the owner alone, and not to itself', () => {
    assert.equal(
      codeOf(() => requestTransfer(active(), { ...transfer, wallet: otherWallet })),
      'NOT_OWNER',
    )
    assert.equal(
      codeOf(() => requestTransfer(active(), { ...transfer, to: ownerWallet })),
      'SELF_ACTION',
    )
  })

  it('reserves the place of both agents until the chain has decided', () => {
    const sent = requestTransfer(active(), transfer).state
    assert.deepEqual(sent.linkedAgents, [ownerId, otherId])
    assert.deepEqual(after(sent, 2, ['confirmed', 1]).linkedAgents, [otherId])
    assert.deepEqual(after(sent, 2, ['failed', 1]).linkedAgents, [ownerId])
  })

  it('is reversed when the chain drops it for good', () => {
    const sent = requestTransfer(active(), transfer).state
    const confirmed = after(sent, 2, ['confirmed', 1])
    const reversed = after(confirmed, 2, ['reorged', 2], ['failed', 3])
    assert.deepEqual([confirmed.ownerWallet, reversed.ownerWallet, reversed.agentId, reversed.status], [otherWallet, ownerWallet, ownerId, 'active'])
  })
})

describe('a name whose last operation the chain has yet to decide', () => {
  const transfer = { ...change, to: otherWallet, toAgentId: otherId }
  const minting = () => reserve(undefined, paid).state
  const transferring = () => requestTransfer(active(), transfer).state
  const burning = () => requestDeletion(active(), change).state
  const byOther = { ...change, wallet: otherWallet, operationId: 'op-3' }
  const refusals: [string, () => unknown, code: string][] = [
    ['a transfer while it is registered', () => requestTransfer(minting(), transfer), 'INVALID_STATE'],
    ['a deletion while it is transferred', () => requestDeletion(transferring(), { ...change, operationId: 'op-3' }), 'INVALID_STATE'],
    ['a deletion by the next owner while it is transferred', () => requestDeletion(transferring(), byOther), 'NOT_OWNER'],
    ['a transfer while it is deleted', () => requestTransfer(burning(), transfer), 'INVALID_STATE'],
    ['a registration by another while it is registered', () => reserve(minting(), request({ wallet: otherWallet })), 'NAME_TAKEN'],
    ['a registration by its owner while it is deleted', () => reserve(burning(), request({ operationId: 'op-3' })), 'NAME_TAKEN'],
  ]
  for (const [title, refused, code] of refusals)
    it(`refuses ${title} as retryable`, () => {
      assert.throws(refused, error => error instanceof Refusal && error.code === code && error.isRetryable)
    })

  it('refuses as final what no outcome will allow', () => {
    const finals: [() => unknown, code: string][] = [
      [() => reserve(active(), request({ wallet: otherWallet })), 'NAME_TAKEN'],
      [() => reserve(burning(), request({ wallet: otherWallet })), 'NAME_TAKEN'],
      [() => requestDeletion(active(), byOther), 'NOT_OWNER'],
      [() => requestTransfer(deleted(), transfer), 'INVALID_STATE'],
    ]
    for (const [refused, code] of finals) assert.throws(refused, error => error instanceof Refusal && error.code === code && !error.isRetryable, code)
  })
})

describe('the registry of a name', () => {
  const [first, second] = [payer, otherWallet]
  const newest = { registries: [first, second] }
  const again = (domain: Domain, more: Partial<Reservation> = {}) => reserve(domain, request({ operationId: 'op-9', ...newest, ...more }))
  const { registry: _, ...early } = deleted()
  const unpaid = { sale: { price: 50_000_000n, kind: 'treasury', payer } } as const

  it('is the newest one for a name that nobody has reserved, and its operations go there', () => {
    const { state, events } = reserve(undefined, request(newest))
    const contractOf = ({ data }: { data: unknown }) => (data as { args: { contract: string } }).args.contract

    assert.equal(state.registry, second)
    const owned = after(state, 1, ['confirmed', 1])
    const operations = [
      ...events,
      ...requestDeletion(owned, change).events,
      ...requestTransfer(owned, { ...change, to: otherWallet, toAgentId: null }).events,
    ]
    assert.deepEqual(operations.map(contractOf), [second, second, second])
  })

  it('stays the same on a network, also after a deletion and for a name from before it was stored', () => {
    assert.deepEqual([again(deleted()).state.registry, again(early).state.registry], [first, first])
  })

  it('is the newest one of another network', () => {
    assert.equal(again(deleted(), { chain: 'SKALE_TESTNET' }).state.registry, second)
  })

  it('is the same on a network where the name was before another one', () => {
    const freed = (domain: Domain) => drop(domain, 'FUNDS_REQUIRED')
    const onSkale = (domain: Domain) => freed(again(domain, { chain: 'SKALE_TESTNET', registries: [ownerWallet], ...unpaid }).state)
    const back = (domain: Domain) => again(onSkale(domain), { ...unpaid }).state

    assert.deepEqual([back(deleted()).registry, back(early).registry], [first, first])
    assert.equal(again(freed(back(deleted())), { chain: 'SKALE_TESTNET', registries: [ownerWallet, second] }).state.registry, ownerWallet)
  })
})

describe('a deleted name', () => {
  it('is registered again by its former owner only, until it has rested for 30 days', () => {
    const released = deleted()
    const stranger = request({ wallet: otherWallet, agentId: otherId, operationId: 'op-3' })
    assert.equal(released.status, 'released')
    assert.equal(
      codeOf(() => reserve(released, stranger)),
      'NAME_TAKEN',
    )
    assert.equal(reserve(released, request({ operationId: 'op-3' })).state.status, 'minting')
    assert.equal(reserve(released, { ...stranger, now: later(30 * dayMs) }).state.status, 'minting')
  })

  it('rests on until the same day where its former owner registers it again in vain', () => {
    const again = request({ operationId: 'op-3', now: later(5 * dayMs) })
    const stranger = request({ wallet: otherWallet, agentId: otherId, operationId: 'op-4', now: later(20 * dayMs) })
    const minting = () => reserve(deleted(), again).state
    const refused = reserve(deleted(), { ...again, ...{ sale: paid.sale, source: undefined } }).state
    const vain: [string, Domain][] = [
      ['the command failed', after(minting(), 3, ['failed', 1])],
      ['treasury refused', drop(refused, 'FUNDS_REQUIRED')],
      ['the chain dropped the mint for good', after(minting(), 3, ['confirmed', 1], ['reorged', 2], ['failed', 3])],
      [
        'a transferred name lost its mint',
        after(
          requestTransfer(after(minting(), 3, ['confirmed', 1]), { ...change, to: otherWallet, toAgentId: otherId }).state,
          3,
          ['reorged', 2],
          ['failed', 3],
        ),
      ],
    ]
    for (const [title, domain] of vain) {
      assert.deepEqual([domain.status, domain.formerOwner, domain.dueAt], ['released', ownerWallet, later(30 * dayMs)], title)
      assert.throws(() => reserve(domain, stranger), { code: 'NAME_TAKEN' }, title)
      assert.equal(reserve(domain, { ...again, operationId: 'op-5' }).state.status, 'minting', title)
      assert.equal(reserve(domain, { ...stranger, now: later(30 * dayMs) }).state.status, 'minting', title)
    }
    assert.throws(
      () => reserve(minting(), stranger),
      error => error instanceof Refusal && error.code === 'NAME_TAKEN' && !error.isRetryable,
    )
  })

  it('is registered where an operator retried the command that had failed', () => {
    const failed = after(reserve(deleted(), request({ operationId: 'op-3' })).state, 3, ['failed', 1])
    const confirmed = after(failed, 3, ['confirmed', 2, 2])
    assert.deepEqual([confirmed.status, confirmed.ownerWallet, confirmed.dueAt, confirmed.formerOwner], ['active', ownerWallet, undefined, null])
  })

  it('is owned again when the chain drops its deletion for good', () => {
    const restored = after(deleted(), 2, ['reorged', 2], ['failed', 3])
    assert.deepEqual([restored.status, restored.ownerWallet, restored.linkedAgents], ['active', ownerWallet, [ownerId]])
  })
})
