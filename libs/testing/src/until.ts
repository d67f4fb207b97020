/** Polls until `probe` gives something truthy. @throws Error with the last error or value after `seconds` */
export async function until<T>(what: string, probe: () => T | Promise<T>, seconds = 30, everyMs = 20): Promise<Exclude<T, false | null | undefined>> {
  const end = Date.now() + seconds * 1000
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
  throw new Error(`not within ${seconds} s: ${what}; last: ${last instanceof Error ? last.message : JSON.stringify(last)}`)
}
