/** One piece of work that runs one at a time, as often as it is woken. */
export interface Runner {
  /** Runs now, or again after the present run. */
  wake(): void
  /** Resolves when the present run has ended; none follows. */
  stop(): Promise<void>
}

/**
 * @param work does the pending work; returns ms until it runs again by itself (undefined = when woken)
 * @param onError decides about a failure: ms until the next try, or undefined to wait for the next wake
 */
export function runner(work: () => Promise<number | undefined>, onError: (error: unknown) => number | undefined): Runner {
  let running: Promise<void> | undefined
  let again = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  async function run(): Promise<void> {
    let pause: number | undefined
    try {
      pause = await work()
    } catch (error) {
      pause = onError(error)
    }
    running = undefined
    if (stopped) return
    if (again) {
      again = false
      wake()
    } else if (pause !== undefined) {
      clearTimeout(timer)
      timer = setTimeout(wake, pause)
    }
  }

  function wake(): void {
    if (stopped) return
    if (running !== undefined) {
      again = true
      return
    }
    clearTimeout(timer)
    // The tasks of one tick of the event loop share a run.
    running = new Promise<void>(resolve => setImmediate(resolve)).then(run)
  }

  return {
    wake,
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}

/** Runs tasks one after the other; a failure of one does not stop the next. */
export function serially(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return task => {
    const next = last.then(task)
    last = next.catch(() => undefined)
    return next
  }
}
