import assert from 'node:assert/strict'
import { MICRO, tiers } from '@carapace/api'
import fc from 'fast-check'
import { feeFor, split } from './fees.ts'

describe('platform fee', () => {
  const examples = [
    ['Hatchling', 'BASE_SEPOLIA', 0n, 300],
    ['Hatchling', 'SKALE_TESTNET', 0n, 275],
    ['Silver Molt', 'SKALE_TESTNET', 100n, 150],
    ['Gold Shell', 'BASE_SEPOLIA', 500n, 110],
    ['Bronze Pinch', 'BASE_SEPOLIA', 10n, 235],
    ['Bronze Pinch', 'BASE_SEPOLIA', 9n, 250],
  ] as const
  for (const [tier, chain, bond, bp] of examples) {
    it(`is ${bp / 100} % for ${tier} on ${chain} with a free bond of ${bond} USDC`, () => {
      assert.equal(feeFor({ tier, chain, availableBond: bond * MICRO }).effectiveBp, bp)
    })
  }

  it('is rounded half up to the micro-USDC once', () => {
    assert.deepEqual(split(33_333_333n, 275), { fee: 916_667n, net: 32_416_666n })
    assert.deepEqual(split(250n * MICRO, 150), { fee: 3_750_000n, net: 246_250_000n })
  })

  it('and the rest always add up to the budget, and it never falls below 0.50 %', () => {
    const terms = fc.record({
      tier: fc.constantFrom(...tiers),
      chain: fc.constantFrom('BASE_SEPOLIA' as const, 'SKALE_TESTNET' as const),
      availableBond: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    })
    fc.assert(
      fc.property(terms, fc.bigInt({ min: 10_000n, max: 50_000_000_000n }), (given, budget) => {
        const { effectiveBp } = feeFor(given)
        const { fee, net } = split(budget, effectiveBp)
        assert.equal(fee + net, budget)
        assert.ok(effectiveBp >= 50 && effectiveBp <= 300)
        assert.ok(fee >= 0n && net > 0n)
      }),
    )
  })
})
