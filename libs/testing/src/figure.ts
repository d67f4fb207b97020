/** What a bench measured for one line of the table of benches: a value for each round. */
export interface Figure {
  line: string
  values: number[]
}

const mark = 'figure '

/** Reports it on a line of its own, for the runner of all benches. @example reportFigure('gateway.proxied', ratios) */
export function reportFigure(line: string, values: readonly number[]): void {
  process.stdout.write(`${mark}${JSON.stringify({ line, values })}\n`)
}

/** The figure in a line of a bench's output; undefined in any other line. */
export function figureIn(text: string): Figure | undefined {
  if (!text.startsWith(mark)) return undefined
  const { line, values } = JSON.parse(text.slice(mark.length)) as Figure
  return { line, values: values.map(value => value ?? Number.NaN) }
}
