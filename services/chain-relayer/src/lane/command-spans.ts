import { beginSpan } from '@carapace/service'
import type { Op } from './records.ts'

/** A step of a command on its way into a final block. */
export interface Step {
  name: 'sign' | 'send' | 'confirm' | 'finalize'
  /** When it began, Unix ms. */
  since: number
  txHash: string
  blockNumber?: number
}

/** Records a step that is over, in the trace of its command. @returns the traceparent of what follows from it; that of the command where nothing is recorded */
export function recordStep(op: Pick<Op, '_id' | 'kind' | 'network' | 'traceparent'>, { name, since, txHash, blockNumber }: Step): string | null {
  const attributes = {
    'carapace.chain': op.network,
    'carapace.op_key': op._id,
    'carapace.tx_hash': txHash,
    ...(blockNumber === undefined ? {} : { 'carapace.block_number': blockNumber }),
  }
  const kind = name === 'send' ? 'client' : 'internal'
  const span = beginSpan({ by: 'chain-relayer', name: `${name} ${op.kind}`, kind, attributes }, op.traceparent, since)
  span?.end()
  return span?.traceparent ?? op.traceparent
}
