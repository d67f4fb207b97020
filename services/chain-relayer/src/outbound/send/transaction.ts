import type { FeeProfile } from '@carapace/chain'
import { keccak256, Transaction } from 'ethers'
import { hexBytes, type RlpItem, rlp, uintBytes } from '../../chain/rlp.ts'
import type { Signer } from '../../custody/custody.ts'
import type { Attempt, Fee, Tx } from '../../lane/records.ts'
import '../../chain/keccak.ts'

export interface Content {
  chainId: number
  nonce: number
  to: string
  data: string
  /** wei */
  value: bigint
  gasLimit: number
  fee: Fee
}

/** Signs a transaction (type 0 with EIP-155, or type 2); these bytes are stored and sent, repeatedly if necessary. */
export async function signAttempt(signer: Signer, content: Content, now: number): Promise<Attempt> {
  const { fields, prefix, unsignedTail } = bodyOf(content)
  const digest = keccak256(Buffer.concat([prefix, rlp([...fields, ...unsignedTail])]))
  const signature = Buffer.from((await signer.sign(digest)).slice(2), 'hex')
  const [r, s, v] = [signature.subarray(0, 32), signature.subarray(32, 64), signature[64]!]
  const parity = v - 27
  const last = content.fee.type === 0 ? uintBytes(BigInt(content.chainId) * 2n + 35n + BigInt(parity)) : uintBytes(parity)
  const bytes = Buffer.concat([prefix, rlp([...fields, last, shortest(r), shortest(s)])])
  return { hash: keccak256(bytes), raw: `0x${bytes.toString('hex')}`, fee: feeRecord(content.fee), signedAt: now }
}

/** What the slot's operations call, read from its signed bytes: it is stored once only. */
export function calldataOf(tx: Tx): string {
  const signed = tx.attempts.find(attempt => !attempt.noop && attempt.raw !== null)
  return signed ? Transaction.from(signed.raw!).data : '0x'
}

function bodyOf({ chainId, nonce, to, data, value, gasLimit, fee }: Content): { fields: RlpItem[]; prefix: Buffer; unsignedTail: RlpItem[] } {
  const target = [uintBytes(gasLimit), hexBytes(to), uintBytes(value), hexBytes(data)]
  if (fee.type === 0) {
    return {
      fields: [uintBytes(nonce), uintBytes(fee.gasPrice), ...target],
      prefix: Buffer.alloc(0),
      unsignedTail: [uintBytes(chainId), uintBytes(0), uintBytes(0)],
    }
  }
  const fields = [uintBytes(chainId), uintBytes(nonce), uintBytes(fee.maxPriorityFeePerGas), uintBytes(fee.maxFeePerGas), ...target, []]
  return { fields, prefix: Buffer.from([2]), unsignedTail: [] }
}

/** r and s are encoded as integers: without leading zeros. */
function shortest(word: Buffer): Buffer {
  const first = word.findIndex(byte => byte !== 0)
  return first <= 0 ? word : word.subarray(first)
}

/** Fee of a new transaction, from the profile and the base fee of the latest block (wei). */
export function feeFor(profile: FeeProfile, baseFee: bigint): Fee {
  if (profile.type === 'free') return { type: 0, gasPrice: 0n }
  return capped(profile, (BigInt(Math.round(profile.headroom * 100)) * baseFee) / 100n + profile.tipWei, profile.tipWei)
}

/**
 * Fee of a further attempt in the same slot: a quarter above the last one, at least what a new one would pay, at most the cap.
 * @returns undefined when the fee cannot rise: only sending again is left
 */
export function bumpedFee(profile: FeeProfile, last: Attempt['fee'], baseFee: bigint): Fee | undefined {
  if (profile.type === 'free' || 'gasPrice' in last) return undefined
  const fresh = feeFor(profile, baseFee)
  if (fresh.type !== 2) return undefined
  const raise = (wei: string) => (BigInt(wei) * 5n) / 4n + 1n
  const bumped = capped(profile, max(raise(last.maxFeePerGas), fresh.maxFeePerGas), max(raise(last.maxPriorityFeePerGas), fresh.maxPriorityFeePerGas))
  // Pools require 10 % more in both fields.
  return bumped.maxFeePerGas * 10n >= BigInt(last.maxFeePerGas) * 11n ? bumped : undefined
}

/** Whether a block of this base fee (wei) has room for it. */
export const isEnough = (fee: Attempt['fee'], baseFee: bigint): boolean => 'gasPrice' in fee || BigInt(fee.maxFeePerGas) >= baseFee

/** The stored form of a fee. */
export const feeRecord = (fee: Fee): Attempt['fee'] =>
  fee.type === 0
    ? { gasPrice: String(fee.gasPrice) }
    : { maxFeePerGas: String(fee.maxFeePerGas), maxPriorityFeePerGas: String(fee.maxPriorityFeePerGas) }

function capped(profile: { capWei: bigint }, maxFee: bigint, tip: bigint) {
  const maxFeePerGas = maxFee < profile.capWei ? maxFee : profile.capWei
  return { type: 2 as const, maxFeePerGas, maxPriorityFeePerGas: tip < maxFeePerGas ? tip : maxFeePerGas }
}
const max = (a: bigint, b: bigint) => (a > b ? a : b)
