/** A seeded source of chance: the same seed gives the same run. */
export interface Random {
  /** 0 ≤ x < 1 */
  next(): number
  chance(p: number): boolean
  /** Integer 0 ≤ x < n */
  below(n: number): number
  between(low: number, high: number): number
  normal(): number
  pick<T>(list: readonly T[]): T
}

/** @example randomOf('paper/ring/1').next() // the same number in every run */
export function randomOf(seed: string): Random {
  let state = hash(seed)
  const next = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (n: number) => Math.floor(next() * n)
  return {
    next,
    below,
    chance: p => next() < p,
    between: (low, high) => low + (high - low) * next(),
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    pick: list => list[below(list.length)]!,
  }
}

/** FNV-1a of the text, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value | 0
}
