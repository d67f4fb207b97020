/** Resolves when all have settled or the time (ms) is over, whichever is first. @example await settledWithin([...running], 2_000) */
export async function settledWithin(promises: readonly Promise<unknown>[], ms: number): Promise<void> {
  if (promises.length === 0) return
  let timer: NodeJS.Timeout | undefined
  const timeIsOver = new Promise(resolve => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([Promise.allSettled(promises), timeIsOver])
  clearTimeout(timer)
}
