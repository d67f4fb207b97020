/** How many times longer than on two quiet cores a condition may need. */
const timeFactor = Number(process.env.TEST_TIME_FACTOR ?? 1)

/**
 * Polls until `probe` gives something truthy.
 * @param seconds on two quiet cores; TEST_TIME_FACTOR multiplies them
 * @throws Error with the last error or value when the time is over
 */
export async function until<T>(what: string, probe: () => T | Promise<T>, seconds = 30, everyMs = 20): Promise<Exclude<T, false | null | undefined>> {
  const limit = seconds * timeFactor
  const end = Date.now() + limit * 1000
  let last: unknown
  do {
    try {
      const found = await probe()
      if (found) return found as Exclude<T, false | null | undefined>
      last = found
    } catch (error) {
      last = error
    }
    await new Promise(resolve => setTimeout(resolve, everyMs))
  } while (Date.now() < end)
  throw new Error(`not within ${limit} s: ${what}; last: ${last instanceof Error ? last.message : JSON.stringify(last)}`)
}
