/** What one document adds to the figures of its collection. Names are free of dots, dollars and slashes. */
export interface Share {
  sums?: Readonly<Record<string, bigint>>
  /** Figures that count different members, however many documents name one. */
  sets?: Readonly<Record<string, readonly string[]>>
}
/** Of a document as its store gives it, `createdAt` and all. */
export type ShareOf<T> = (document: T) => Share

/** What a write changes of the figures: sums by name, and members that are named for the first time by this document, or no more. */
export interface Difference {
  sums: Map<string, bigint>
  members: { set: string; member: string; by: 1n | -1n }[]
}

export function difference(before: Share, after: Share): Difference {
  const sums = new Map<string, bigint>()
  for (const name of new Set([...Object.keys(before.sums ?? {}), ...Object.keys(after.sums ?? {})])) {
    const by = (after.sums?.[name] ?? 0n) - (before.sums?.[name] ?? 0n)
    if (by !== 0n) sums.set(name, by)
  }
  const members: Difference['members'] = []
  for (const set of new Set([...Object.keys(before.sets ?? {}), ...Object.keys(after.sets ?? {})])) {
    const [was, is] = [new Set(before.sets?.[set]), new Set(after.sets?.[set])]
    // in a fixed order, so that transactions lock alike
    for (const member of [...new Set([...was, ...is])].sort()) {
      if (is.has(member) && !was.has(member)) members.push({ set, member, by: 1n })
      if (was.has(member) && !is.has(member)) members.push({ set, member, by: -1n })
    }
  }
  return { sums, members }
}

/** What several documents change together. */
export function allOf(differences: readonly Difference[]): Difference {
  const sums = new Map<string, bigint>()
  for (const one of differences) for (const [name, by] of one.sums) plus(sums, name, by)
  return { sums, members: differences.flatMap(({ members }) => members) }
}

/** Adds to a total that may not be there yet. */
export const plus = (totals: Map<string, bigint>, name: string, by: bigint) => totals.set(name, (totals.get(name) ?? 0n) + by)
