import { type Chain, type chainRelayerApi, type ResponseOf, refuse } from '@carapace/api'
import { eventOf } from '../lane/announce.ts'
import type { Collections } from '../lane/collections.ts'
import type { LaneParts } from '../lane/lane.ts'
import { outcomeOf } from '../lane/outcome-of.ts'
import { hasFailed, type Op } from '../lane/records.ts'
import { RpcUnavailable } from '../rpc/rpc.ts'

type Answer = ResponseOf<typeof chainRelayerApi.internal.chainOutcomes>
type Outcome = Answer['outcomes'][number]
interface Question {
  operations: readonly { opKey: string; seq: number }[]
  finality: boolean
  events: boolean
}

/** Returns the outcomes of commands. Any process of the relayer can: it reads what is stored, and for logs the chain. */
export interface Outcomes {
  /** One outcome for each operation, in their order. @throws Refusal CHAIN_UNAVAILABLE when logs are needed and the node is away */
  of(question: Question): Promise<Answer>
}

const unknown = (opKey: string): Outcome => ({
  ...{ opKey, known: false, round: 0, ended: false, failed: false, decidedAt: null, news: false },
  events: [],
})

export function openOutcomes(db: Collections, networks: ReadonlyMap<Chain, { parts: LaneParts }>, clock: { now(): Date }): Outcomes {
  /** A transaction that carried it has no final block: what failed may still have its effect. */
  const mayBeIncluded = async ({ _id }: Op): Promise<boolean> =>
    (await db.txs.findOne({ 'ops.opKey': _id, unfinished: true, nonce: { $ne: null } }, { projection: { _id: 1 } })) !== null

  async function outcome(op: Op, seq: number, { finality, events: wanted }: Question): Promise<Outcome> {
    const failed = hasFailed(op)
    const ended = failed ? !(await mayBeIncluded(op)) : op.state === 'FINAL'
    const isDecided = failed || op.state === 'FINAL' || op.state === 'CONFIRMED'
    // a consumer without finality events has the outcome with the confirmation, whose seq is one lower
    const last = op.state === 'FINAL' && !finality ? op.seq - 1 : op.seq
    const isNews = seq < last
    const parts = networks.get(op.network)?.parts ?? refuse('CHAIN_UNAVAILABLE', { chain: op.network })
    const announcements = wanted && isNews ? await outcomeOf(parts, op) : []
    const time = clock.now().toISOString()
    return {
      opKey: op._id,
      known: true,
      round: op.round,
      ended,
      failed,
      decidedAt: isDecided ? new Date(op.updatedAt).toISOString() : null,
      news: isDecided && isNews,
      events: announcements.map(announcement => eventOf(announcement, time)),
    }
  }

  return {
    of: async question => {
      const keys = question.operations.map(({ opKey }) => opKey)
      const found = new Map((await db.ops.find({ _id: { $in: keys } }).toArray()).map(op => [op._id, op]))
      const outcomes = question.operations.map(({ opKey, seq }) => {
        const op = found.get(opKey)
        return op ? outcome(op, seq, question) : unknown(opKey)
      })
      return { outcomes: await Promise.all(outcomes).catch(unavailable) }
    },
  }
}

function unavailable(error: unknown): never {
  if (error instanceof RpcUnavailable) refuse('CHAIN_UNAVAILABLE')
  throw error
}
