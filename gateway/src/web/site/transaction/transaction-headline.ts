import type { ChainLog, chainRelayerApi, ResponseOf } from '@carapace/api'
import { type Called, common, deeds, details, shortOf } from './log-phrases.ts'

/** What a transaction did, in one sentence: of several logs the one that says most. */
export function headline({ success, logs }: ResponseOf<typeof chainRelayerApi.internal.chainTx>, called: Called = shortOf): string {
  if (!success) return 'This transaction was reverted'
  const deed = logs.filter(log => nameOf(log) in deeds).sort((a, b) => rank(a) - rank(b))[0]
  const shown = deed ?? logs.find(log => nameOf(log) in details) ?? (logs.length === 1 ? logs[0] : undefined)
  return shown ? sentence(shown, called) : `This transaction recorded ${logs.length} events`
}

const order = Object.keys(deeds)
/** The earlier in the table, the more it says. */
const rank = (log: ChainLog): number => order.indexOf(nameOf(log))

/** What a log says to a person who knows no contract. */
export function sentence(log: ChainLog, called: Called = shortOf): string {
  const { contract, event, args } = log
  const own = deeds[nameOf(log)] ?? details[nameOf(log)]
  if (own) return own(args, called)
  const saying = common[event]?.(args, called) ?? event.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return `${contract}: ${saying}`
}

const nameOf = ({ contract, event }: ChainLog): string => `${contract}.${event}`
