import { type Chain, chainRelayerApi, Refusal } from '@carapace/api'
import { networks, toChecksum } from '@carapace/chain'
import type { Peers } from '@carapace/service'
import { hashMessage, hexlify, recoverAddress } from 'ethers'
import { ownHost } from '../request/request.ts'
import { attemptsOf } from './attempts.ts'
import type { Nonces } from './nonces.ts'
import type { VerifySignature } from './signature.ts'
import { checkDigest, signatureBase } from './signature-base.ts'
import { invalid, otherWallet, parseSignature, type SignatureInput } from './signature-input.ts'

export interface VerifierParts {
  nonces: Nonces
  peers: Peers
  publicBaseUrl: string
  /** Wall clock, Unix milliseconds. */
  now?: () => number
}

const chains: ReadonlyMap<number, Chain> = new Map(Object.values(networks).map(({ chainId, chain }) => [chainId, chain]))
const skewSeconds = 30
const longestSeconds = 300
/** For each client address: anybody can name a wallet that is not theirs. */
const contractReadsPerMinute = 30

/** ERC-8128: RFC 9421 signatures by Ethereum keys, over EIP-191; contract wallets by ERC-1271 (behaviour 1.8). */
export function verifier({ nonces, peers, publicBaseUrl, now = Date.now }: VerifierParts): VerifySignature {
  const isOwnHost = ownHost(publicBaseUrl)
  const { protocol } = new URL(publicBaseUrl)
  const contractReads = attemptsOf(contractReadsPerMinute)
  return async (request, body, expected) => {
    const input = parseSignature(request.headers['signature-input'], request.headers.signature)
    const chain = chains.get(input.chainId)
    if (!chain) throw invalid(`keyid must name chain ${[...chains.keys()].join(' or ')}`)
    // else a request signed for another site would count here
    if (!isOwnHost(request.headers.host)) throw invalid('The request was made to another host')
    checkWindow(input, Math.floor(now() / 1000))
    if (expected.wallet !== undefined && input.address !== expected.wallet.toLowerCase()) throw otherWallet()
    const bytes = await body()
    checkDigest(request, bytes)
    const hash = hashMessage(Buffer.from(signatureBase(request, input, protocol), 'latin1'))
    if (recovered(hash, input.signature) !== input.address) {
      contractReads.count(expected.ip)
      const home = await expected.contractChain(input.address, bytes)
      if (home !== chain || !(await acceptedByContract(peers, chain, input, hash)))
        throw invalid('The signature was not made by the wallet that keyid names')
    }
    await nonces.use(input.address, input.nonce, new Date(input.expires * 1000))
    return { wallet: toChecksum(input.address) }
  }
}

/** @throws SIGNATURE_EXPIRED, SIGNATURE_INVALID */
function checkWindow({ created, expires }: SignatureInput, now: number): void {
  if (created > now + skewSeconds) throw invalid('created lies in the future')
  if (expires <= created || expires - created > longestSeconds) throw invalid(`expires must be at most ${longestSeconds} s after created`)
  if (now > expires) throw new Refusal('SIGNATURE_EXPIRED')
}

/** The address in lower case that signed, if the bytes are a signature by a key at all. */
function recovered(hash: string, signature: Buffer): string | undefined {
  if (signature.length !== 65) return undefined
  try {
    return recoverAddress(hash, hexlify(signature)).toLowerCase()
  } catch {
    return undefined
  }
}

async function acceptedByContract(peers: Peers, chain: Chain, { address, signature }: SignatureInput, hash: string): Promise<boolean> {
  const { isValidSignature } = chainRelayerApi.internal
  const answer = await peers.call('chain-relayer', isValidSignature, {
    params: { chain },
    body: { wallet: address, hash, signature: hexlify(signature) },
  })
  return answer.valid
}
