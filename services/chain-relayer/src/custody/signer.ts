import { computeAddress } from 'ethers'
import { isPrivate, signRecoverable } from 'tiny-secp256k1'

/** Holds one key and signs digests with it. The key never leaves it: not in logs, events or errors. A key service has the same face. */
export interface Signer {
  readonly address: string
  /** 65-byte signature (r, s, v = 27 or 28; deterministic, low s) of a 32-byte digest, hex. */
  sign(digest: string): Promise<string>
}

/** A key in memory. @throws Error without the key's text when it is not a private key */
export function localSigner(privateKey: string): Signer {
  const key = Buffer.from(/^0x[0-9a-fA-F]{64}$/.test(privateKey) ? privateKey.slice(2) : '', 'hex')
  if (key.length !== 32 || !isPrivate(key)) throw new Error('the relayer key is not a private key')
  return {
    address: computeAddress(privateKey),
    sign: async digest => {
      const { signature, recoveryId } = signRecoverable(Buffer.from(digest.slice(2), 'hex'), key)
      return `0x${Buffer.from(signature).toString('hex')}${recoveryId === 0 ? '1b' : '1c'}`
    },
  }
}
