import type { Chain } from '@carapace/api'
import { keccak256 } from 'ethers'
import type { KnownNetwork } from './network-reader.ts'
import { networks } from './networks.ts'

/** What an x402 payment of the scheme `exact` has to be on one network, as x402 v2 writes it. */
export interface PaymentTerms {
  scheme: 'exact'
  /** CAIP-2, `eip155:84532`. */
  network: `${string}:${string}`
  /** Micro-USDC, decimal text. */
  amount: string
  asset: string
  payTo: string
  maxTimeoutSeconds: number
  /** The token's EIP-712 domain. */
  extra: { name: string; version: string }
}

/** The same as x402 v1 writes it. */
export interface PaymentTermsV1 extends Omit<PaymentTerms, 'network' | 'amount'> {
  network: string
  maxAmountRequired: string
  resource: string
  description: string
  mimeType: string
}

interface Resource {
  /** Absolute. */
  url: string
  description: string
  mimeType: string
}

/** Seconds from a challenge to its deadline. */
export const paymentWindowSeconds = 300

export const paymentTerms = ({ chainId, contracts, tokenDomain }: KnownNetwork, amount: bigint, payTo: string): PaymentTerms => ({
  scheme: 'exact',
  network: `eip155:${chainId}`,
  amount: String(amount),
  asset: contracts.usdc,
  payTo,
  maxTimeoutSeconds: paymentWindowSeconds,
  extra: { name: tokenDomain.name, version: tokenDomain.version },
})

export function paymentTermsV1({ network, amount, ...terms }: PaymentTerms, chain: Chain, { url, description, mimeType }: Resource): PaymentTermsV1 {
  return { ...terms, network: networks[chain].x402Name, maxAmountRequired: amount, resource: url, description, mimeType }
}

/**
 * What a payer of the spec's dialect appends to the calldata of its transfer: keccak256 of the challenge's nonce. Unlike the nonce itself it gives a
 * reader of the chain nothing to claim the transfer with.
 */
export const nonceTail = (nonce: string): string => keccak256(nonce)

/** Our network of a name of x402 v1 or v2; undefined for any other. */
export const chainOfPayment = (name: unknown): Chain | undefined =>
  Object.values(networks).find(({ x402Name, chainId }) => x402Name === name || `eip155:${chainId}` === name)?.chain
