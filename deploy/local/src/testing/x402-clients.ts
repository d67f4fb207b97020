import type { Chain, PaymentChallenge } from '@carapace/api'
import { networks } from '@carapace/chain'
import { type Player, type System, until } from '@carapace/testing'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm'
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { parseUnits } from 'ethers'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createSigner, wrapFetchWithPayment as wrapFetchWithPaymentV1 } from 'x402-fetch'

const accountOf = ({ wallet }: Player) => privateKeyToAccount(wallet.privateKey as Hex)
const header = (payment: object) => Buffer.from(JSON.stringify(payment)).toString('base64')

/** The v2 client of the standard, with the wallet of a player on one network. @param anyAmount by default it pays at most 1 USDC */
export function clientV2(system: Pick<System, 'networks'>, player: Player, chain: Chain, anyAmount = false): x402Client {
  const network = `eip155:${networks[chain].chainId}` as const
  const client = new ExactEvmScheme(accountOf(player))
  // by default a client pays with assets that it knows, and it knows none on SKALE
  const allowedAssets = [{ network, asset: system.networks[chain].contracts.usdc }]
  const spendControls = {
    ...(anyAmount ? { maxAmountPerPayment: false as const } : {}),
    ...(chain === 'SKALE_TESTNET' ? { allowedAssets } : {}),
  }
  return x402Client.fromConfig({ schemes: [{ network, client }], ...(Object.keys(spendControls).length > 0 ? { spendControls } : {}) })
}

/** Posts as an agent by an unmodified v2 client, which pays any amount. */
export const postPaying = (system: Pick<System, 'networks' | 'url'>, player: Player, chain: Chain, path: string, body: object): Promise<Response> =>
  wrapFetchWithPayment(fetch, clientV2(system, player, chain, true))(system.url + path, postOf(player, body))

/** The same by an unmodified v1 client, which pays up to 1 USDC. */
export async function postPayingV1(system: Pick<System, 'url'>, player: Player, chain: Chain, path: string, body: object): Promise<Response> {
  const pay = wrapFetchWithPaymentV1(fetch, await signerV1(player, chain), 1_000_000n)
  return pay(system.url + path, postOf(player, body)) as Promise<Response>
}

const postOf = ({ headers }: Player, body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** A v2 payment header for what a challenge offers. @param amount µUSDC, default: its price */
export async function authorizedV2(challenge: Headers, payer: Player, amount?: bigint): Promise<string> {
  const [offer] = decodePaymentRequiredHeader(challenge.get('payment-required') ?? '').accepts
  const accepted = { ...offer!, ...(amount === undefined ? {} : { amount: String(amount) }) }
  const { payload } = await new ExactEvmScheme(accountOf(payer)).createPaymentPayload(2, accepted)
  return header({ x402Version: 2, accepted, payload })
}

/** A v1 payment header for the first terms of a challenge. */
export const authorizedV1 = async ({ accepts }: PaymentChallenge, payer: Player): Promise<string> =>
  header(await new ExactEvmSchemeV1(accountOf(payer)).createPaymentPayload(1, accepts[0] as never))

/** Transfers USDC of the payer's own to the payee of a challenge. @returns the proof to send as `x-payment` */
export async function transferProof(
  system: Pick<System, 'networks'>,
  chain: Chain,
  { nonce, payTo }: PaymentChallenge,
  { wallet }: Player,
  amount: number,
) {
  const { usdc, provider, gasless } = system.networks[chain]
  const data = usdc.interface.encodeFunctionData('transfer', [payTo, parseUnits(amount.toFixed(6), 6)])
  const fee = gasless ? { gasPrice: 0, type: 0 } : {}
  const sent = await wallet.connect(provider).sendTransaction({ to: await usdc.getAddress(), data, ...fee })
  await sent.wait()
  return JSON.stringify({ txHash: sent.hash, nonce, amount, from: wallet.address, to: payTo })
}

/** The answer to a transfer, once that is final. @param request sends its proof */
export async function answerToTransfer<Answer extends { body: { error?: string } }>(request: () => Promise<Answer>): Promise<Answer> {
  return until('the transfer is final', async () => {
    const answer = await request()
    return answer.body.error !== 'settlement_pending' && answer
  })
}

/** The v2 challenge of a priced address. */
export const requiredOf = async (url: string) => decodePaymentRequiredHeader((await fetch(url)).headers.get('payment-required') ?? '')

/** What `x402-fetch` signs v1 payments with. */
export const signerV1 = ({ wallet }: Player, chain: Chain) => createSigner(networks[chain].x402Name, wallet.privateKey)
