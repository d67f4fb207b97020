/** How long this thread has been busy with slow work since it last served anybody else. */
export interface BusyTime {
  /** Whether it has used up its time. */
  isOver(): boolean
  spend<R>(work: () => R): R
}

/** Both in milliseconds. */
export interface Clocks {
  now(): number
  /** CPU of this process. */
  used(): number
}

/** Work that is quicker than this does not count: a long command may have a million such steps, and is no fault for that. */
const quickMs = 0.1
const ownClocks: Clocks = {
  now: () => performance.now(),
  used: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
}

/** @param most milliseconds of CPU; the time of day alone would count what other processes use, too */
export function busyTime(most: number, clocks: Clocks = ownClocks): BusyTime {
  let spent = 0
  let before: number | undefined
  const pause = () => {
    spent = 0
    before = undefined
  }
  return {
    isOver: () => spent > most && before !== undefined && clocks.used() - before > most,
    spend: work => {
      if (before === undefined) {
        before = clocks.used()
        setImmediate(pause)
      }
      const started = clocks.now()
      try {
        return work()
      } finally {
        const elapsed = clocks.now() - started
        if (elapsed >= quickMs) spent += elapsed
      }
    },
  }
}
