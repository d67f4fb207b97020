import { signRequest } from '@slicekit/erc8128'

/** What signs requests: an ethers wallet, or anything with the same two members. */
export interface RequestSigner {
  address: string
  /** EIP-191. */
  signMessage(message: Uint8Array): Promise<string>
}

/** Headers that say who calls, and which call it is: nobody on the way may change them. */
const covered = ['x-agent-id', 'x-wallet-address', 'x-admin-wallet', 'idempotency-key']

/**
 * A fetch that signs every request by ERC-8128; each attempt has a nonce of its own.
 * @param chainId where the wallet of a contract is verified
 * @example const send = signingFetch(fetch, new Wallet(key))
 */
export function signingFetch(send: typeof fetch, signer: RequestSigner, chainId = 84_532): typeof fetch {
  const account = {
    address: signer.address as `0x${string}`,
    chainId,
    signMessage: async (message: Uint8Array) => (await signer.signMessage(message)) as `0x${string}`,
  }
  return async (input, init) => {
    const sent = new Headers(init?.headers)
    const { headers } = await signRequest(String(input), init, account, { components: covered.filter(name => sent.has(name)) })
    return send(input, { ...init, headers })
  }
}
