/**
 * Waits for something under a signal that also ends it after a time.
 * @param limitMs wall clock
 * @throws what `wait` throws when its signal ends it
 */
export async function withTimeLimit<T>(signal: AbortSignal, limitMs: number, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
  // Node collects an AbortSignal.timeout that only AbortSignal.any refers to: it would never fire
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), limitMs)
  return wait(AbortSignal.any([signal, late.signal])).finally(() => clearTimeout(timer))
}
