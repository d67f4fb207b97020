import { readFileSync } from 'node:fs'

/** A hundredth of a second is the unit in which Linux counts. */
const ticksPerSecond = 100

/** CPU seconds that a process has used so far, user and system. @throws Error where there is no /proc, or no such process */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** Memory of a process that is in RAM now, in MB. @throws Error where there is no /proc, or no such process */
export function residentMb(pid: number): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
}
