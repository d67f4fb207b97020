import assert from 'node:assert/strict'
import { soldAt } from './purchase.ts'

describe('what is sold by x402', () => {
  it('has the price of the answer: of a repeated parameter the service reads the last one', () => {
    const priceOf = (query: string) => soldAt(`/api/agents/carapace/reputation${query}`, undefined)?.price

    assert.deepEqual(['', '?view=basic', '?view=full', '?view=basic&view=full', '?view=full&view=basic'].map(priceOf), [
      2_000n,
      1_000n,
      2_000n,
      2_000n,
      1_000n,
    ])
  })
})
