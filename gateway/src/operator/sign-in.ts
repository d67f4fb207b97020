import { type AdminCaller, type Chain, chainRelayerApi, chains, Refusal, refuse } from '@carapace/api'
import { networks, toChecksum } from '@carapace/chain'
import type { Peers } from '@carapace/service'
import { type SiweConfig, SiweMessage } from '@signinwithethereum/siwe'
import { getAddress, hashMessage, verifyMessage } from 'ethers'
import { type AdminRules, adminOf } from '../identity/admin-caller.ts'
import type { OperatorStore } from './store.ts'

export interface SignInParts {
  store: OperatorStore
  admins: AdminRules
  peers: Peers
}

/** Where somebody signs in: the message counts there and nowhere else. */
export interface Place {
  /** Host of the page, with its port. */
  domain: string
  uri: string
}

/** Where the contract wallet of an admin may sign (behaviour 1.8). */
const chain: Chain = chains[0]
const { chainId } = networks[chain]
const lifetimeMs = 5 * 60_000

/** The message that a wallet signs to sign in (EIP-4361), with a nonce that counts once. @throws NOT_ADMIN */
export async function messageFor(wallet: string, { domain, uri }: Place, { store, admins }: SignInParts): Promise<string> {
  adminOf(wallet, admins, 'admin')
  const now = Date.now()
  return new SiweMessage({
    domain,
    uri,
    address: toChecksum(wallet),
    statement: 'Sign in as an operator of Carapace.',
    version: '1',
    chainId,
    nonce: await store.issue('nonce'),
    issuedAt: new Date(now).toISOString(),
    expirationTime: new Date(now + lifetimeMs).toISOString(),
  }).prepareMessage()
}

/** The admin who signed this message for this place. @throws SIGNATURE_INVALID, SIGNATURE_EXPIRED, SIGNATURE_REPLAYED, NOT_ADMIN */
export async function signedIn(text: string, signature: string, { domain, uri }: Place, parts: SignInParts): Promise<AdminCaller> {
  const message = parsed(text)
  // before anything is requested of others, and before the nonce is used up
  const admin = adminOf(message.address, parts.admins, 'admin')
  const { expirationTime, nonce } = message
  if (!expirationTime || Date.parse(expirationTime) <= Date.now()) throw new Refusal('SIGNATURE_EXPIRED')
  const { success, error } = await message
    .verify({ signature, domain, uri, chainId, nonce }, { strict: true, suppressExceptions: true, config: verification(parts.peers) })
    .catch((failure: unknown) => {
      if (failure instanceof Refusal) throw failure
      return { success: false, error: undefined }
    })
  if (!success) refuse('SIGNATURE_INVALID', undefined, { message: error?.type ?? 'The message was not signed by its wallet' })
  if (!(await parts.store.use('nonce', nonce))) refuse('SIGNATURE_REPLAYED')
  return admin
}

function parsed(text: string): SiweMessage {
  try {
    return new SiweMessage(text)
  } catch {
    return refuse('SIGNATURE_INVALID', undefined, { message: 'This is no sign-in message' })
  }
}

const verification = (peers: Peers): SiweConfig => ({
  verifyMessage: (message, signature) => verifyMessage(message, signature),
  hashMessage: message => hashMessage(message),
  getAddress: address => getAddress(address),
  checkContractWalletSignature: async (wallet, message, signature) => {
    if (!/^0x(?:[0-9a-fA-F]{2}){65,2048}$/.test(signature)) return false
    const { isValidSignature } = chainRelayerApi.internal
    const { valid } = await peers.call('chain-relayer', isValidSignature, {
      params: { chain },
      body: { wallet, hash: hashMessage(message), signature },
    })
    return valid
  },
})
