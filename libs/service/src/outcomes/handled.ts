import { type CloudEvent, chainEventRemoved, outcomeNameOf } from '@carapace/api'

/** What this process handled of commands and logs not long ago: what is in here need not be polled. Without it the same is handled again. */
export interface Handled {
  note(event: CloudEvent): void
  /** Number of the last event about a command; 0: unknown. */
  seqOf(opKey: string): number
  /** Whether the final log was handled. */
  hasLog(logId: string): boolean
  /** Whether the withdrawal of the log was handled. */
  hasRemoval(logId: string): boolean
  forget(opKey: string): void
}

const mostEntries = 50_000
const logPrefix = 'chain.event.'

interface Listeners {
  /** The last event of a command was handled. */
  ended(opKey: string, round: number): void
  /** Another event may follow: the block of a command was dropped, which may have been final, or a block may still include what failed. */
  reopened(opKey: string, seq: number): void
}

export function recentlyHandled({ ended, reopened }: Listeners): Handled {
  const commands = new Map<string, number>()
  const logs = new Map<string, true>()
  const removals = new Map<string, true>()
  return {
    note: ({ type, data }) => {
      const is = outcomeNameOf(type)
      if (is) {
        const { opKey, round, seq, terminal, txHash } = data as { opKey: string; round: number; seq: number; terminal?: boolean; txHash?: string }
        // a refusal of the command itself decides nothing
        if (is === 'failed' && terminal !== true) return
        remember(commands, opKey, Math.max(seq, commands.get(opKey) ?? 0))
        const wasSigned = txHash !== undefined
        if (is === 'finalized' || (is === 'failed' && !wasSigned)) ended(opKey, round)
        if (is === 'reorged' || (is === 'failed' && wasSigned)) reopened(opKey, seq)
      } else if (type === chainEventRemoved.type) {
        remember(removals, String(data.logId), true)
        logs.delete(String(data.logId))
      } else if (type.startsWith(logPrefix)) {
        // its block may have come back
        removals.delete(String(data.logId))
        if (data.final === true) remember(logs, String(data.logId), true)
      }
    },
    seqOf: opKey => commands.get(opKey) ?? 0,
    hasLog: logId => logs.has(logId),
    hasRemoval: logId => removals.has(logId),
    forget: opKey => void commands.delete(opKey),
  }
}

/** The newest stay: what is older was polled or is polled again. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= mostEntries) return
  const [oldest] = map.keys()
  map.delete(oldest!)
}
