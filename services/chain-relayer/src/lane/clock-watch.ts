/** A smaller change is an ordinary correction of a clock. */
const leastMs = 1_000

/** Returns by how many ms the wall clock was set since the last call, 0 when it was not. */
export function clockWatch(): () => number {
  let offset = Date.now() - performance.now()
  return () => {
    const jump = Date.now() - performance.now() - offset
    if (Math.abs(jump) < leastMs) return 0
    offset += jump
    return jump
  }
}
