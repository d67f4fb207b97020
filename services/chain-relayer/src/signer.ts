import { computeAddress, SigningKey, Transaction } from 'ethers'
import { feeRecord } from './fees.ts'
import type { Attempt, Fee } from './records.ts'

/** Holds one key and signs digests with it. The key never leaves it: not in logs, events or errors. */
export interface Signer {
  readonly address: string
  /** 65-byte signature (r, s, v) of a 32-byte digest, hex. */
  sign(digest: string): Promise<string>
}

/** A key in memory. @throws Error without the key's text when it is not a private key */
export function localSigner(privateKey: string): Signer {
  const key = signingKey(privateKey)
  return { address: computeAddress(key.publicKey), sign: async digest => key.sign(digest).serialized }
}

function signingKey(privateKey: string): SigningKey {
  try {
    return new SigningKey(privateKey)
  } catch {
    throw new Error('the relayer key is not a private key')
  }
}

export interface Content {
  chainId: number
  nonce: number
  to: string
  data: string
  value: bigint
  gasLimit: number
  fee: Fee
}

/** Signs a transaction; the bytes are what is persisted and sent, for as often as it takes. */
export async function signAttempt(signer: Signer, content: Content, now: number): Promise<Attempt> {
  const { fee, ...fields } = content
  const tx = Transaction.from({ ...fields, gasLimit: BigInt(content.gasLimit), ...fee })
  tx.signature = await signer.sign(tx.unsignedHash)
  return { hash: tx.hash!, raw: tx.serialized, fee: feeRecord(fee), signedAt: now }
}
