import type { IncomingMessage } from 'node:http'

/** A request signature that was checked. */
export interface Signer {
  /** EIP-55 form. */
  wallet: string
}

/**
 * Checks the ERC-8128 signature of a request: covered parts, time window, nonce, key.
 * @param body reads the raw bytes, undefined without a body; what can be judged without them is judged first
 * @param expected the wallet that has to have signed, if that is known already
 * @throws SIGNATURE_INVALID, SIGNATURE_EXPIRED, SIGNATURE_REPLAYED; DEPENDENCY_UNAVAILABLE for contract wallets without their network
 */
export type VerifySignature = (request: IncomingMessage, body: () => Promise<Buffer | undefined>, expected?: string) => Promise<Signer>

export const isSigned = (request: IncomingMessage): boolean =>
  request.headers['signature-input'] !== undefined || request.headers.signature !== undefined
