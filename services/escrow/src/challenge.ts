import { randomBytes } from 'node:crypto'
import { type Chain, type PaymentChallenge, usd } from '@carapace/api'
import { networks } from '@carapace/chain'

const openFor = 300
const v1Names: Record<Chain, string> = { BASE_SEPOLIA: 'base-sepolia', SKALE_TESTNET: 'skale-base-sepolia' }

/** The 402 answer that asks for a gig's budget by x402: the fields of the spec and what x402 v1 clients read. */
export function budgetChallenge(request: { amount: bigint; chain: Chain; payTo: string; usdc: string | undefined; path: string }): PaymentChallenge {
  const { amount, chain, payTo, usdc, path } = request
  return {
    paymentRequired: true,
    amount: String(usd(amount)),
    currency: 'USDC',
    payTo,
    nonce: `0x${randomBytes(32).toString('hex')}`,
    deadline: Math.floor(Date.now() / 1000) + openFor,
    chain,
    scheme: 'exact',
    memo: `POST ${path}`,
    x402Version: 1,
    error: 'X-PAYMENT header is required',
    accepts: [
      {
        scheme: 'exact',
        network: v1Names[chain],
        chainId: networks[chain].chainId,
        maxAmountRequired: String(amount),
        resource: path,
        description: 'Budget of a gig',
        mimeType: 'application/json',
        payTo,
        maxTimeoutSeconds: openFor,
        asset: usdc ?? networks[chain].canonical.USDC,
        extra: { name: 'USDC', version: '2' },
      },
    ],
    message: 'Payment required',
    code: 'PAYMENT_REQUIRED',
    status: 402,
  }
}
