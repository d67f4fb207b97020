import { readdirSync, readFileSync } from 'node:fs'

/** A hundredth of a second is the unit in which Linux counts. */
const ticksPerSecond = 100

/** CPU seconds that a process has used so far, user and system. @throws Error where there is no /proc, or no such process */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** As `cpuSeconds`, to the nanosecond; of the threads that run now. @throws Error where there is no /proc with these figures, or no such process */
export function threadSeconds(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + secondsOf(`/proc/${pid}/task/${thread}/schedstat`), 0)
}

function secondsOf(statistics: string): number {
  try {
    return Number(readFileSync(statistics, 'utf8').split(' ')[0]) / 1e9
  } catch (error) {
    // a thread that has just ended
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ESRCH') return 0
    throw error
  }
}

/** Memory of a process that is in RAM now, in MB. @throws Error where there is no /proc, or no such process */
export function residentMb(pid: number): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
}

/** Memory that a process has for itself and its part of what it shares, in MB. @throws Error where there is no /proc, or no such process */
export function proportionalMb(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024
}
