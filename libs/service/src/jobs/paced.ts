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
