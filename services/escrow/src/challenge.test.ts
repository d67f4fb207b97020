import assert from 'node:assert/strict'
import { chains, paymentChallenge } from '@carapace/api'
import { networks } from '@carapace/chain'
import { budgetChallenge } from './challenge.ts'

describe('the 402 answer of a gig', () => {
  for (const chain of chains)
    it(`names token, domain and chain id that a payer on ${chain} signs for`, () => {
      const { chainId, token } = networks[chain]

      const challenge = budgetChallenge({ amount: 25_000_000n, chain, payTo: token.address, usdc: undefined, path: '/api/x' })

      const offer = paymentChallenge.parse(challenge).accepts[0]
      assert.deepEqual(
        { chainId: offer?.chainId, asset: offer?.asset, extra: offer?.extra, amount: offer?.maxAmountRequired },
        { chainId, asset: token.address, extra: { name: token.name, version: token.version }, amount: '25000000' },
      )
    })
})
