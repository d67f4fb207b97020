import type { PlatformClock } from '../clock/platform-clock.ts'
import type { Awaiting } from './awaiting.ts'
import { type PollParts, requestOutcomes } from './poll.ts'

interface Question {
  opKey: string
  seq: number
  round: number
  name: string
}

const mostRows = 5_000

/**
 * Names what the chain decided long enough ago and this service has not handled, and commands that the relayer never received.
 * @throws what `askRelayer` throws
 */
export async function outcomeFaults(
  parts: Pick<PollParts, 'rows' | 'handled' | 'peers' | 'finality'> & { clock: PlatformClock },
  { awaits, afterMs }: { awaits: () => Promise<readonly Awaiting[]>; afterMs: number },
): Promise<string[]> {
  const before = Date.now() - afterMs
  const old = await parts.rows
    .find({ sentAt: { $lte: new Date(before) } }, { projection: { 'command.event.data': 0 } })
    .sort({ sentAt: 1 })
    .limit(mostRows)
    .toArray()
  const questions = new Map<string, Question>()
  for (const { _id, seq, round, record, log } of old)
    if (!log) questions.set(_id, { opKey: _id, seq: Math.max(seq, parts.handled.seqOf(_id)), round, name: record ?? `command ${_id}` })
  // a record that still waits has not been carried on, even if its outcome was handled
  for (const { opKey, round, record, since } of await awaits())
    if (since.getTime() - parts.clock.offsetMs() <= before) questions.set(opKey, { opKey, seq: 0, round, name: record })
  const waiting = [...questions.values()]
  const outcomes = await requestOutcomes(parts, waiting, false)
  const faults = waiting.flatMap(({ opKey, round, name }, index) => {
    const outcome = outcomes[index]!
    const { news, failed, decidedAt } = outcome
    if (!outcome.known || (failed && outcome.round < round)) return [`${name}: the relayer does not know ${opKey} of round ${round}`]
    const isLate = news && decidedAt !== null && Date.parse(decidedAt) <= before
    return isLate ? [`${name}: the chain decided ${opKey} at ${decidedAt}, which is not handled here`] : []
  })
  return [...faults, ...old.flatMap(({ log }) => (log ? [`log ${log.subject} of ${log.type} is not handled here`] : []))]
}
