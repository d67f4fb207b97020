import { setTimeout as sleep } from 'node:timers/promises'

/**
 * For a job whose work grows with what there is: it rests twenty times as long as it worked, so that it never needs more than a twentieth of
 * the time, however much there is. While it is quick it runs as often as it is called.
 */
export function paced(run: () => Promise<void>, now: () => number = Date.now): () => Promise<void> {
  let restsUntil = 0
  return async () => {
    const start = now()
    if (start < restsUntil) return
    await run()
    restsUntil = start + 20 * (now() - start)
  }
}

/**
 * The pause between two pieces of work that a run does one after the other: four times as long as the last one lasted.
 * @returns false where the process ends: nothing is begun any more
 * @example if (!(await restAfter(performance.now() - began, ending))) return
 */
export async function restAfter(workedMs: number, ending: AbortSignal): Promise<boolean> {
  await sleep(4 * workedMs, undefined, { signal: ending }).catch(() => {})
  return !ending.aborted
}
