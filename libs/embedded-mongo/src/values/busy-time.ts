/** How long this thread has been busy with something since it last served anybody else. */
export interface BusyTime {
  /** Whether it has used up its time. */
  isOver(): boolean
  spend<R>(work: () => R): R
}

/** @param most milliseconds of CPU; the clock alone would count what other processes use, too */
export function busyTime(most: number): BusyTime {
  let spent = 0
  let before: NodeJS.CpuUsage | undefined
  const usedMs = () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  const pause = () => {
    spent = 0
    before = undefined
  }
  return {
    isOver: () => spent > most && usedMs() > most,
    spend: work => {
      if (!before) {
        before = process.cpuUsage()
        setImmediate(pause)
      }
      const started = performance.now()
      try {
        return work()
      } finally {
        spent += performance.now() - started
      }
    },
  }
}
