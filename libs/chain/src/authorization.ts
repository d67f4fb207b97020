import { authorizationFields, permitFields } from '@carapace/contracts'
import { TypedDataEncoder } from 'ethers'
import { z } from 'zod'
import { address, amount, signature } from './fields.ts'

/** An EIP-3009 authorisation that still needs a signature by the key of `from`. */
export interface AuthorizationRequest {
  /** receive: only the payee may submit it (contracts that pull). transfer: anybody may. */
  type: 'ReceiveWithAuthorization' | 'TransferWithAuthorization'
  from: string
  /** An address, or the name of the contract that pulls. */
  to: string
  /** micro-USDC */
  value: bigint
  nonce: string
}
export interface SignedAuthorization extends AuthorizationRequest {
  /** Unix seconds. */
  validAfter: bigint
  validBefore: bigint
  signature: string
}

export interface TokenDomain {
  name: string
  version: string
  chainId: number
  verifyingContract: string
}

/** Digest (EIP-712) of an EIP-3009 authorisation. */
export function authorizationDigest(domain: TokenDomain, message: Omit<SignedAuthorization, 'signature'>): string {
  const { type, from, to, value, validAfter, validBefore, nonce } = message
  return TypedDataEncoder.hash(domain, { [type]: authorizationFields }, { from, to, value, validAfter, validBefore, nonce })
}

/** Digest (EIP-712) of an EIP-2612 permit. Times in Unix seconds. */
export function permitDigest(
  domain: TokenDomain,
  permit: { owner: string; spender: string; value: bigint; nonce: bigint; deadline: bigint },
): string {
  return TypedDataEncoder.hash(domain, { Permit: permitFields }, permit)
}

/** Where the money of a command comes from (behaviour 6.1, in that order). */
export const fundingSource = z.discriminatedUnion('kind', [
  /** The owner has approved the contract. */
  z.object({ kind: z.literal('allowance') }),
  /** EIP-2612: the owner's signed approval of the contract. */
  z.object({ kind: z.literal('permit'), value: amount, deadline: amount, signature }),
  /** EIP-3009 receiveWithAuthorization signed by the owner; its nonce is the business key. */
  z.object({ kind: z.literal('authorization'), from: address, validAfter: amount, validBefore: amount, signature }),
  /** A custodial wallet; the relayer signs the same authorisation. */
  z.object({ kind: z.literal('custodial'), from: address }),
])
export type FundingSource = z.output<typeof fundingSource>
