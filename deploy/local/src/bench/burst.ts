import type { System } from '@carapace/testing'
import { type Call, callsOf, warmUpCall } from './burst-calls.ts'

/** What became of many concurrent calls of one operation on one aggregate. */
export interface Burst {
  operation: string
  /** From the first call to the last answer. */
  totalMs: number
  /** That the system used, without its callers. */
  cpuMs: number
  /** How many answers had which status, with the code of a refusal. */
  answers: Record<string, number>
  /** Those that leave the caller without a result. */
  unfinished: number
  /** The slowest read of another aggregate of that service meanwhile. */
  otherMs: number
}

/** Answers that report to the caller how its call ended, or where it can see that. */
const finalStatuses: readonly number[] = [200, 201, 202, 402, 409, 429]

/**
 * Plays `calls` concurrent calls of each money operation, one operation after another, after a burst that is not measured.
 * @param cpuMs what the system has used so far
 */
export async function* burstAll(system: System, calls: number, cpuMs: () => Promise<number>): AsyncGenerator<Burst> {
  await burstOf(system, calls, cpuMs, await warmUpCall(system))
  for await (const call of callsOf(system)) yield burstOf(system, calls, cpuMs, call)
}

async function burstOf(
  system: System,
  calls: number,
  cpuMs: () => Promise<number>,
  { operation, path, body, headers, otherPath, otherHeaders = {} }: Call,
): Promise<Burst> {
  const answers: Record<string, number> = {}
  let unfinished = 0
  const cpu = await cpuMs()
  const start = performance.now()
  let isOver = false
  const watch = slowestRead(system, otherPath, otherHeaders, () => isOver)
  await Promise.all(
    Array.from({ length: calls }, async () => {
      const answer = await system.call('POST', path, { body, headers })
      const name = answer.status < 300 ? String(answer.status) : `${answer.status} ${answer.body.code}`
      answers[name] = (answers[name] ?? 0) + 1
      if (!finalStatuses.includes(answer.status)) unfinished += 1
    }),
  )
  const totalMs = performance.now() - start
  isOver = true
  return { operation, totalMs, cpuMs: (await cpuMs()) - cpu, answers, unfinished, otherMs: await watch }
}

async function slowestRead(system: System, path: string, headers: Record<string, string>, isOver: () => boolean): Promise<number> {
  let slowest = 0
  while (!isOver()) {
    const start = performance.now()
    await system.call('GET', path, { headers })
    slowest = Math.max(slowest, performance.now() - start)
  }
  return slowest
}
