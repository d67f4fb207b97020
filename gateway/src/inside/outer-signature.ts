import type { Signer, VerifySignature } from '../identity/signature.ts'
import { otherWallet } from '../identity/signature-input.ts'
import type { Inside, Outer } from './inside.ts'

export interface Signatures {
  /** Of requests from outside and of calls that were made inside. */
  verifySignature: VerifySignature
  /** Of an outer request itself. */
  verifyOuter(outer: Outer): VerifySignature
}

/**
 * For a call that was made inside, the signature of the request it was made for is checked: that covers the body, which says what is to be called. Once
 * for each such request, however many calls it makes, so that its nonce serves once.
 */
export function outerSignatures(verify: VerifySignature, { outerOf }: Pick<Inside, 'outerOf'>): Signatures {
  const signers = new WeakMap<Outer, Promise<Signer>>()
  const verifyOuter =
    (outer: Outer): VerifySignature =>
    async (_request, body, expected) => {
      // where a contract wallet may sign depends on what is called
      const contractChain = async (wallet: string) => expected.contractChain(wallet, await body())
      const verified = signers.get(outer) ?? verify(outer.request, () => Promise.resolve(outer.body), { ...expected, contractChain })
      signers.set(outer, verified)
      const signer = await verified
      if (expected.wallet !== undefined && signer.wallet.toLowerCase() !== expected.wallet.toLowerCase()) throw otherWallet()
      return signer
    }
  return {
    verifySignature: (request, body, expected) => {
      const outer = outerOf(request)
      return (outer ? verifyOuter(outer) : verify)(request, body, expected)
    },
    verifyOuter,
  }
}
