import { type AuthorizationRequest, authorizationDigest, type ContractName, type SignedAuthorization } from '@carapace/chain'
import type { Lane } from '../lane/lane.ts'

/**
 * Signs an EIP-3009 authorisation with the key of its custodial wallet, or with the lane's own key for the intake. It is valid for a
 * short while only: others must not be able to use the content of a failed transaction for ever.
 * @throws Error when the address is none of ours
 */
export async function signAuthorization(lane: Lane, request: AuthorizationRequest): Promise<SignedAuthorization> {
  const now = Math.max(Math.floor(Date.now() / 1_000), lane.head.time)
  const message = {
    ...request,
    to: /^0x/.test(request.to) ? request.to : lane.network.origin[request.to as ContractName],
    validAfter: 0n,
    validBefore: BigInt(now + Math.ceil(lane.timings.authorizationTtlMs / 1_000)),
  }
  const digest = authorizationDigest(lane.network.token, message)
  const isIntake = request.from === lane.signer.address
  return { ...message, signature: isIntake ? await lane.signer.sign(digest) : await lane.custody.sign(request.from, digest) }
}
