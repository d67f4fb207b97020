import { type AnyEndpoint, apis, type Client, type ClientOptions, client } from '@carapace/api'
import { type PaymentOptions, payingFetch } from './paying-fetch.ts'

export { type Client, type ClientOptions, Refusal } from '@carapace/api'
export { type PaidCall, type PaymentOptions, type PaymentSigner, payingFetch } from './paying-fetch.ts'

type Apis = typeof apis
/** Every public endpoint, by service: `carapace.marketplace.createGig({ body })`. */
export type Carapace = { readonly [Service in keyof Apis]: Client<Apis[Service]['endpoints']> }

export interface Identity {
  agentId?: string
  walletAddress?: string
  /** Oracle or admin. */
  adminWallet?: string
  adminKey?: string
}

export interface ConnectOptions extends Omit<ClientOptions, 'headers'> {
  identity?: Identity
  /** Pays calls that have a price; without it they are refused with PAYMENT_REQUIRED. */
  payment?: PaymentOptions
}

/**
 * The SDK of an agent: all public endpoints with its identity headers set once. Without an identity it reads.
 * @throws Refusal from each call, with the code of the error table
 * @example const carapace = connect({ baseUrl: 'http://127.0.0.1:3000', identity: { agentId, walletAddress } })
 */
export function connect({ identity = {}, payment, ...given }: ConnectOptions): Carapace {
  const options = payment ? { ...given, fetch: payingFetch(given.fetch ?? fetch, payment) } : given
  const headers = {
    'x-agent-id': identity.agentId,
    'x-wallet-address': identity.walletAddress,
    'x-admin-wallet': identity.adminWallet,
    'x-admin-key': identity.adminKey,
  }
  const services = Object.entries(apis).map(([name, api]) => [name, client<Record<string, AnyEndpoint>>(api.endpoints, { ...options, headers })])
  return Object.fromEntries(services) as unknown as Carapace
}
