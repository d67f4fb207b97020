import { type Chain, type CloudEvent, chainEventRemoved, chainRelayerApi, chains, type QueryInputOf } from '@carapace/api'
import { topicMatches } from '@carapace/bus'
import type { Database } from '@carapace/store'
import type { Dispatch } from '../consume.ts'
import type { Subscription } from '../define.ts'
import type { Peers } from '../peers/peers.ts'
import type { Handled } from './handled.ts'

interface Cursor {
  _id: Chain
  /** Last block whose final logs were compared. */
  block?: number
  /** Withdrawn logs were compared up to this moment, Unix ms. */
  withdrawnUpTo?: number
}

export interface LogReplay {
  /** Compares the final and the withdrawn logs with what was handled, and handles what is missing. A network whose relayer does not answer is left for the next time. */
  run(): Promise<void>
}

/** A reorganisation may put other logs into blocks that were compared. */
const marginBlocks = 64
/** A position that only grew is stored after so many blocks. */
const storeEvery = 1_000
const timeoutMs = 10_000
const { chainLogs, chainRemovedLogs } = chainRelayerApi.internal

/** @param failed is called with a log whose handler failed */
export function logReplay(
  { db, peers, handled, dispatch }: { db: Database; peers: Peers; handled: Handled; dispatch: Dispatch },
  subscriptions: readonly Subscription[],
  failed: (log: CloudEvent) => Promise<unknown>,
): LogReplay {
  const types = subscriptions.flatMap(subscription => subscription.types)
  const contracts = [...new Set(types.flatMap(type => /^chain\.event\.([A-Za-z]+)\./.exec(type)?.[1] ?? []))].filter(name => name !== 'removed')
  const isSubscribed = ({ type }: Pick<CloudEvent, 'type'>) => types.some(topic => topicMatches(topic, type))
  const cursors = db.connection.collection<Cursor>('chain_log_cursors')
  const stored = new Map<Chain, number>()
  const compared = new Map<Chain, number>()
  /** What was final at the last run: younger logs may be on their way over the bus. */
  const finalBefore = new Map<Chain, number>()

  const names = contracts.join(',')
  /** @returns undefined when the relayer does not answer */
  const request = <E extends typeof chainLogs | typeof chainRemovedLogs>(endpoint: E, chain: Chain, query: QueryInputOf<E>) =>
    peers.call('chain-relayer', endpoint, { params: { chain }, query, timeoutMs }).catch(() => undefined)

  const withdrawnUpTo = new Map<Chain, number>()

  /** A withdrawal that was missed would leave money booked that the chain does not have. */
  async function compareRemovals(chain: Chain): Promise<void> {
    for (;;) {
      const since = withdrawnUpTo.get(chain) ?? (await cursors.findOne({ _id: chain }))?.withdrawnUpTo ?? 0
      withdrawnUpTo.set(chain, since)
      const answer = await request(chainRemovedLogs, chain, { since: String(since), contracts: names })
      if (!answer) return
      for (const log of answer.events.filter(event => !handled.hasRemoval(event.subject))) await dispatch(log, 1).catch(() => failed(log))
      if (answer.events.length > 0) {
        await cursors.updateOne({ _id: chain }, { $set: { withdrawnUpTo: answer.upTo } }, { upsert: true })
        withdrawnUpTo.set(chain, answer.upTo)
      }
      if (!answer.more) return
    }
  }

  async function position(chain: Chain): Promise<number> {
    const position = compared.get(chain)
    if (position !== undefined) return position
    const block = (await cursors.findOne({ _id: chain }))?.block ?? -1
    stored.set(chain, block)
    return block
  }

  async function store(chain: Chain, block: number, always: boolean): Promise<void> {
    compared.set(chain, block)
    if (block === stored.get(chain) || (!always && block - stored.get(chain)! < storeEvery)) return
    await cursors.updateOne({ _id: chain }, { $set: { block } }, { upsert: true })
    stored.set(chain, block)
  }

  async function compare(chain: Chain): Promise<void> {
    const until = finalBefore.get(chain) ?? Number.POSITIVE_INFINITY
    let after = Math.max(-1, (await position(chain)) - marginBlocks)
    for (;;) {
      const answer = await request(chainLogs, chain, { after: String(after), contracts: names })
      if (!answer) return
      const missing = answer.events.filter(event => isSubscribed(event) && Number(event.data.blockNumber) <= until && !handled.hasLog(event.subject))
      for (const log of missing) await dispatch(log, 1).catch(() => failed(log))
      await store(chain, Math.min(answer.upTo, until), missing.length > 0)
      if (!answer.more || answer.upTo >= until) {
        finalBefore.set(chain, answer.upTo)
        return
      }
      after = answer.upTo
    }
  }

  return {
    run: async () => {
      if (contracts.length === 0) return
      for (const chain of chains) {
        await compare(chain)
        if (isSubscribed(chainEventRemoved)) await compareRemovals(chain)
      }
    },
  }
}
