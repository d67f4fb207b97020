import { type AuthorizationRequest, authorizationDigest, type ContractName, type SignedAuthorization } from '@carapace/chain'
import type { Lane } from '../lane/lane.ts'

/**
 * Signs an EIP-3009 authorisation with the key of its custodial wallet, or for the intake with the lane's own key or the former one. It is valid for a
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
  const intake = [lane.signer, lane.retiring?.signer].find(signer => signer?.address === request.from)
  return { ...message, signature: intake ? await intake.sign(digest) : await lane.custody.sign(request.from, digest) }
}
