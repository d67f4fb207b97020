import type { IncomingMessage } from 'node:http'
import type { Chain } from '@carapace/api'

/** A request signature that was checked. */
export interface Signer {
  /** EIP-55 form. */
  wallet: string
}

export interface SignatureExpectation {
  /** Client address, for the limit on reads of contracts. */
  ip: string
  /** The wallet that has to have signed, if that is known already. */
  wallet?: string | undefined
  /** Where a contract wallet may sign this request; undefined: only a key may. */
  contractChain(wallet: string, body: Buffer | undefined): Promise<Chain | undefined>
}

/**
 * Checks the ERC-8128 signature of a request: covered parts, time window, nonce, key.
 * @param body reads the raw bytes, undefined without a body; what can be judged without them is judged first
 * @throws SIGNATURE_INVALID, SIGNATURE_EXPIRED, SIGNATURE_REPLAYED; RATE_LIMITED for too many contract wallets of one address;
 * DEPENDENCY_UNAVAILABLE for contract wallets without their network
 */
export type VerifySignature = (request: IncomingMessage, body: () => Promise<Buffer | undefined>, expected: SignatureExpectation) => Promise<Signer>
