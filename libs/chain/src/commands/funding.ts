import type { FundingSource, SignedAuthorization } from '../authorization.ts'
import type { ContractCall } from '../command.ts'
import type { ContractName } from '../contract-names.ts'

type Signed = Pick<SignedAuthorization, 'from' | 'validAfter' | 'validBefore' | 'signature'>

/** What the token says to a signature that will never do. */
export const fundingReverts: readonly string[] = [
  'FiatTokenV2: authorization is used or canceled',
  'FiatTokenV2: invalid signature',
  'FiatTokenV2: caller must be the payee',
  'EIP2612: invalid signature',
]

/** The signed authorisation of a command: what the owner sent, or what the relayer signed for a custodial wallet. */
export function signedBy(source: FundingSource, custodial: SignedAuthorization | undefined): Signed | undefined {
  if (source.kind === 'authorization') return source
  if (source.kind === 'custodial') return custodial
  return undefined
}

/** Solidity's struct Authorization. */
export const authorizationTuple = ({ from, validAfter, validBefore, signature }: Signed) => ({ from, validAfter, validBefore, signature })

/** The call that converts a signed permit into an allowance for `spender`, or the one of this name at `at`. Anybody may have submitted it before, so its failure says nothing. */
export function permitOf(source: FundingSource, owner: string, spender: ContractName, at?: string): ContractCall[] {
  if (source.kind !== 'permit') return []
  return [
    {
      contract: 'USDC',
      fn: 'permit(address,address,uint256,uint256,bytes)',
      args: [owner, at ?? { addressOf: spender }, source.value, source.deadline, source.signature],
    },
  ]
}
