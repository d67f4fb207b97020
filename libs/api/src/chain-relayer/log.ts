import { z } from 'zod'
import { txHash } from '../core/fields.ts'

/** A decoded log: big integers as decimal text, bytes as hex. */
export const chainLog = z.object({
  contract: z.string(),
  event: z.string(),
  args: z.record(z.string(), z.unknown()),
  address: z.string(),
  logIndex: z.int(),
  /** Among the logs of its own transaction, from 0: stays the same in any block where the transaction is included. Absent in early events. */
  logPosition: z.int().min(0).optional(),
})
export type ChainLog = z.output<typeof chainLog>

export const inBlock = { txHash, blockNumber: z.int(), blockHash: txHash, blockTime: z.int().meta({ description: 'Unix seconds, block time' }) }
