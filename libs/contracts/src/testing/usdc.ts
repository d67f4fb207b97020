import { type BaseWallet, hexlify, randomBytes, type TypedDataDomain } from 'ethers'
import { authorizationFields } from '../authorization-fields.ts'
import type { Chain } from './chain.ts'
import { people } from './chain.ts'

export const usd = (whole: number): bigint => BigInt(Math.round(whole * 1_000_000))
export const key = (): string => hexlify(randomBytes(32))

export const daySeconds = 86_400

/** Gives `owner` tokens and lets `spender` transfer them. */
export async function fund(chain: Chain, owner: string, amount: bigint, spender?: string): Promise<void> {
  const token = chain.at('DevUSDC')
  await token.send(people.operator, 'mint', owner, amount)
  if (spender) await token.send(owner, 'approve', spender, amount)
}

export const balanceOf = (chain: Chain, owner: string): Promise<bigint> => chain.at('DevUSDC').read<bigint>('balanceOf', owner)

export interface Movement {
  from: string
  to: string
  value: bigint
  validAfter: bigint
  validBefore: bigint
  nonce: string
}

/** The token's EIP-712 domain as a client builds it: from what the token says. */
export async function domainOf(chain: Chain): Promise<TypedDataDomain> {
  const token = chain.at('DevUSDC')
  return {
    name: await token.read<string>('name'),
    version: await token.read<string>('version'),
    chainId: chain.chainId,
    verifyingContract: token.address,
  }
}

/** EIP-3009 signature by ethers. */
export async function signMovement(
  chain: Chain,
  wallet: BaseWallet,
  kind: 'TransferWithAuthorization' | 'ReceiveWithAuthorization',
  move: Movement,
): Promise<string> {
  return wallet.signTypedData(await domainOf(chain), { [kind]: authorizationFields }, move)
}

/** The authorisation argument of a contract's `…WithAuthorization`, valid for an hour. */
export async function authorize(chain: Chain, wallet: BaseWallet, to: string, value: bigint, nonce: string): Promise<unknown[]> {
  const validBefore = (await chain.now()) + 3_600n
  const move = { from: wallet.address, to, value, validAfter: 0n, validBefore, nonce }
  return [wallet.address, 0n, validBefore, await signMovement(chain, wallet, 'ReceiveWithAuthorization', move)]
}
