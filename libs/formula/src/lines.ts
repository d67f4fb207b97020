/** One contribution to a component, in words and thousandths of a point. Other agents are named by their ids. */
export interface Line {
  text: string
  /** The other agent that it comes from. */
  with: string | null
  thousandths: number
}

export interface Contribution {
  text: string
  with: string | null
  /** Of the component, three decimals. */
  points: number
}

const shown = 10

/**
 * The ten largest contributions, what all others sum to, and what rounding adds: together exactly the value.
 * @example addUp(1, [{ text: 'a', with: null, thousandths: 990 }]).map(({ points }) => points) // [0.99, 0.01]
 */
export function addUp(value: number, lines: readonly Line[]): Contribution[] {
  const ordered = lines.filter(({ thousandths }) => thousandths !== 0).sort((a, b) => Math.abs(b.thousandths) - Math.abs(a.thousandths))
  const [first, rest] = [ordered.slice(0, shown), ordered.slice(shown)]
  const sum = (some: readonly Line[]) => some.reduce((total, { thousandths }) => total + thousandths, 0)
  const rounding = Math.round(value * 1000) - sum(ordered)
  return [
    ...first,
    ...(rest.length > 0 ? [{ text: `${rest.length} smaller contributions`, with: null, thousandths: sum(rest) }] : []),
    ...(rounding !== 0 ? [{ text: 'Rounded to one decimal', with: null, thousandths: rounding }] : []),
  ].map(({ thousandths, ...line }) => ({ ...line, points: thousandths / 1000 }))
}

/** Lines of one amount, shared out by weights that are not negative. */
export function shareOut<T>(
  total: number,
  entries: readonly T[],
  weightOf: (entry: T) => number,
  line: (entry: T) => Omit<Line, 'thousandths'>,
): Line[] {
  const all = entries.reduce((sum, entry) => sum + weightOf(entry), 0)
  return all === 0 ? [] : entries.map(entry => ({ ...line(entry), thousandths: Math.round((1000 * total * weightOf(entry)) / all) }))
}

/** A line of one amount, in points. */
export const line = (text: string, points: number): Line => ({ text, with: null, thousandths: Math.round(1000 * points) })

export const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`
