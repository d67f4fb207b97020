import assert from 'node:assert/strict'
import { domainsApi } from '@carapace/api'
import { applyDomainOutcome } from './apply-domain-outcome.ts'
import { upgradeDomain } from './domain.store.ts'
import type { Domain } from './domain.ts'
import { requestDeletion } from './requests.ts'
import { drop, type Reservation, reserve } from './reservation.ts'
import { domainView, onChainView } from './views.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const wallet = `0x${'11'.repeat(20)}`
const at = { txHash: `0x${'ab'.repeat(32)}`, blockNumber: 5 }
const deadline = new Date(now.getTime() + 900_000)
const sale = { price: 50_000_000n, kind: 'treasury' as const, payer: wallet }
const reservation: Reservation = {
  ...{ id: '0190a5d0-0000-7000-8000-000000000009', name: 'alice', tld: '.claw', chain: 'BASE_SEPOLIA', registries: [wallet] },
  ...{ agentId: '0190a5d0-0000-7000-8000-000000000001', wallet, operationId: 'op-1', freeSlot: undefined, texts: [], now, deadline },
  ...{ sale, source: { kind: 'custodial', from: wallet } },
}
const minting = () => reserve(undefined, reservation).state
const funding = () => reserve(undefined, { ...reservation, source: undefined }).state
const active = () => applyDomainOutcome(minting(), 1, { is: 'confirmed', round: 1, seq: 2, ...at }, now)!.state
const burning = () => requestDeletion(active(), { wallet, operationId: 'op-2', now, deadline }).state

const noCommand = { status: 'none', round: 0, seq: 0, txHash: null, blockNumber: null, error: null }
/** As names were stored before an operation had `onChain`. */
const inOldForm = (domain: Domain): Domain => {
  const operations = domain.operations.map(({ onChain, ...rest }) => ({ ...rest, ...(onChain ?? noCommand) }))
  return { ...domain, operations } as unknown as Domain
}

describe('a name that was stored before its operations had one field on chain', () => {
  it('is the same in the present form, wherever it was', () => {
    for (const domain of [funding(), minting(), active(), burning(), drop(funding(), 'FUNDS_REQUIRED')])
      assert.deepEqual(upgradeDomain(inOldForm(domain)), domain)
  })

  it('follows the outcomes that are newer than those that it knew', () => {
    const domain = upgradeDomain(inOldForm(active()))

    assert.equal(applyDomainOutcome(domain, 1, { is: 'reorged', round: 1, seq: 2 }, now), undefined)
    const [reorged] = applyDomainOutcome(domain, 1, { is: 'reorged', round: 1, seq: 3 }, now)!.state.operations
    assert.deepEqual(reorged!.onChain, { status: 'pending', txHash: at.txHash, blockNumber: null, error: null, round: 1, seq: 3 })
  })

  it('is left alone in the present form', () => {
    const domain = active()

    assert.equal(upgradeDomain(domain), domain)
  })
})

describe('a name as it is answered', () => {
  it('has the fields that are declared, and no other', () => {
    const { shape } = domainsApi.endpoints.resolveDomain.response!.shape.record
    const stored = { ...active(), version: 1, createdAt: now, updatedAt: now }

    assert.deepEqual(Object.keys(domainView(stored, () => undefined, now)).sort(), Object.keys(shape).sort())
  })
})

describe('an operation on a name', () => {
  it('is pending before treasury has set its price aside, and failed when treasury refuses', () => {
    const refused = drop(funding(), 'FUNDS_REQUIRED')

    assert.equal(onChainView('BASE_SEPOLIA', funding().operations.at(-1)).status, 'pending')
    assert.deepEqual(onChainView('BASE_SEPOLIA', refused.operations.at(-1)), {
      ...{ status: 'failed', chain: 'BASE_SEPOLIA', txHash: null, blockNumber: null, error: 'FUNDS_REQUIRED' },
    })
  })
})
