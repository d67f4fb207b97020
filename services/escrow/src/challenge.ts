import { randomBytes } from 'node:crypto'
import { type Chain, type PaymentChallenge, usd } from '@carapace/api'
import { networks } from '@carapace/chain'

const openForSeconds = 300

/** The 402 answer that asks for a gig's budget by x402: the fields of the spec and what x402 v1 clients read. */
export function budgetChallenge(request: { amount: bigint; chain: Chain; payTo: string; usdc: string | undefined; path: string }): PaymentChallenge {
  const { amount, chain, payTo, usdc, path } = request
  const { chainId, token, x402Name } = networks[chain]
  return {
    paymentRequired: true,
    amount: String(usd(amount)),
    currency: 'USDC',
    payTo,
    nonce: `0x${randomBytes(32).toString('hex')}`,
    deadline: Math.floor(Date.now() / 1000) + openForSeconds,
    chain,
    scheme: 'exact',
    memo: `POST ${path}`,
    x402Version: 1,
    error: 'X-PAYMENT header is required',
    accepts: [
      {
        scheme: 'exact',
        network: x402Name,
        chainId,
        maxAmountRequired: String(amount),
        resource: path,
        description: 'Budget of a gig',
        mimeType: 'application/json',
        payTo,
        maxTimeoutSeconds: openForSeconds,
        asset: usdc ?? token.address,
        extra: { name: token.name, version: token.version },
      },
    ],
    message: 'Payment required',
    code: 'PAYMENT_REQUIRED',
    status: 402,
  }
}
