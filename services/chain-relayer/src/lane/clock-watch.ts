/** Less is the ordinary correction of a clock. */
const leastMs = 1_000

/** Tells by how many ms the wall clock was set since the last question, 0 when it only went on. */
export function clockWatch(): () => number {
  let offset = Date.now() - performance.now()
  return () => {
    const jump = Date.now() - performance.now() - offset
    if (Math.abs(jump) < leastMs) return 0
    offset += jump
    return jump
  }
}
