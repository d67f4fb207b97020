import type { Chain } from '@carapace/api'
import { authorizationFields, permitFields } from '@carapace/chain'
import type { Player, System } from '@carapace/testing'
import { Contract } from 'ethers'

type Networks = Pick<System, 'networks'>

const inAnHour = (): number => Math.floor(Date.now() / 1000) + 3_600

/** The EIP-712 domain of a network's USDC, as the token itself states it. */
async function tokenDomain({ networks }: Networks, chain: Chain) {
  const { contracts, provider, chainId } = networks[chain]
  const token = new Contract(contracts.usdc, ['function version() view returns (string)', 'function name() view returns (string)'], provider)
  const [name, version]: string[] = await Promise.all([token.getFunction('name')(), token.getFunction('version')()])
  return { name: name!, version: version!, chainId, verifyingContract: contracts.usdc }
}

/** `authorization` of a body: an EIP-2612 permit of µ USDC, the first that this wallet signs. */
export async function permitOf(
  system: Networks,
  chain: Chain,
  { wallet }: Player,
  { spender, value, deadline = inAnHour() }: { spender: string; value: bigint; deadline?: number },
) {
  const message = { owner: wallet.address, spender, value, nonce: 0, deadline }
  return { type: 'eip2612', deadline, signature: await wallet.signTypedData(await tokenDomain(system, chain), { Permit: permitFields }, message) }
}

/** `authorization` of a body: µ USDC that only the payee may pull (EIP-3009). */
export async function authorizationOf(
  system: Networks,
  chain: Chain,
  { wallet }: Player,
  { to, value, nonce }: { to: string; value: bigint; nonce: string },
) {
  const validBefore = inAnHour()
  const message = { from: wallet.address, to, value, validAfter: 0, validBefore, nonce }
  const signature = await wallet.signTypedData(await tokenDomain(system, chain), { ReceiveWithAuthorization: authorizationFields }, message)
  return { type: 'eip3009', validAfter: 0, validBefore, signature }
}
