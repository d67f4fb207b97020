import { batchResults, decodeRevert, type RawLog, type Revert, revertClass, revertText } from '@carapace/chain'
import type { Receipt } from '../chain/reader.ts'
import type { OpError, Tx } from './records.ts'

/** What a mined transaction did for one operation. */
export type OpOutcome = { kind: 'done'; logs: readonly RawLog[] } | { kind: 'reverted'; revert: Revert; outOfGas: boolean }

/**
 * Reads a receipt, operation by operation. `revertOf` gives the revert data of a transaction that failed as a whole.
 * A transaction that ran out of gas has no readable reason.
 */
export function outcomesOf(tx: Tx, receipt: Receipt, batcher: string, revert: Revert): Map<string, OpOutcome> {
  if (receipt.status !== '0x1') {
    const outOfGas = Number(receipt.gasUsed) >= tx.gasLimit * 0.95 && (revert.name === 'unknown' || revert.name === 'Batcher_GasTooLow')
    return new Map(tx.ops.map(({ opKey }) => [opKey, { kind: 'reverted', revert, outOfGas }]))
  }
  if (!tx.ops.some(op => op.batchId !== null)) {
    // Every call of ours leaves a log. Without one there was no code to run: a call to an empty address succeeds and does nothing.
    const outcome: OpOutcome = isSilent(tx, receipt) ? { kind: 'reverted', revert, outOfGas: false } : { kind: 'done', logs: receipt.logs }
    return new Map(tx.ops.map(({ opKey }) => [opKey, outcome]))
  }
  const results = new Map(batchResults(receipt.logs, batcher).map(result => [result.id, result]))
  return new Map(
    tx.ops.map(({ opKey, batchId }): [string, OpOutcome] => {
      const result = results.get(batchId ?? '')
      if (!result || result.outcome === 'failed') {
        const reason = decodeRevert(result?.ret)
        return [opKey, { kind: 'reverted', revert: reason, outOfGas: result !== undefined && result.ret === '0x' }]
      }
      return [opKey, { kind: 'done', logs: result.logs }]
    }),
  )
}

const isSilent = (tx: Tx, receipt: Receipt) => tx.value === '0' && receipt.logs.length === 0

/** What follows for an operation whose try failed. */
export type FailureVerdict =
  | { next: 'retry'; delayMs: number; gasFactor: number }
  /** An effect may be missing on which it builds: see `afterMissing`. */
  | { next: 'wait'; error: OpError }
  /** No further try can help. */
  | { next: 'fail'; error: OpError }

/**
 * @param attempts tries that failed for reasons of their own, this one included
 * @param random 0..1, spreads the delays by a fifth either way
 */
export function judge(
  failure: { revert: Revert; outOfGas: boolean },
  op: { attempts: number; gasFactor: number },
  retries: readonly number[],
  finalReverts: readonly string[],
  random: number,
): FailureVerdict {
  const { revert, outOfGas } = failure
  const error: OpError = {
    code: outOfGas ? 'OUT_OF_GAS' : 'REVERTED',
    message: outOfGas ? 'the call ran out of gas' : revertText(revert),
    ...(revert.name === 'unknown' ? {} : { revert }),
  }
  const kind = outOfGas ? 'passing' : revertClass(revert, finalReverts)
  if (kind === 'missing') return { next: 'wait', error }
  if (kind === 'final' || op.attempts >= retries.length) return { next: 'fail', error }
  return { next: 'retry', delayMs: delayAfter(op.attempts, retries, random), gasFactor: outOfGas ? op.gasFactor * 2 : op.gasFactor }
}

/** Delay after so many tries, ms; the last one repeats. @param random 0..1, spreads it by a fifth either way */
export const delayAfter = (tries: number, retries: readonly number[], random: number): number =>
  Math.round((retries[tries - 1] ?? retries.at(-1)!) * (0.8 + 0.4 * random))
