/** What was read of a database since it was last set back. */
export interface Reads {
  operations: number
  /** That a find has examined, and that others have answered. */
  documents: number
}

type Cursor = AsyncIterable<unknown> & { toArray(): Promise<unknown[]>; clone(): Cursor; explain(verbosity: string): Promise<object> }
type Method = (...given: unknown[]) => unknown

/**
 * The same database, whose reads are counted: by what they cost, which must not grow with what there was before, and not by what they answer.
 * @example const { db, reads } = countedReads(platform.db)
 */
export function countedReads<Db extends { collection(...given: never[]): object }>(database: Db): { db: Db; reads: Reads } {
  const reads: Reads = { operations: 0, documents: 0 }
  const all = async (cursor: Cursor, isExplained: boolean) => {
    const plan = isExplained ? ((await cursor.clone().explain('executionStats')) as Explained) : undefined
    const rows = await cursor.toArray()
    reads.operations += 1
    reads.documents += Math.max(rows.length, plan?.executionStats?.totalDocsExamined ?? 0)
    return rows
  }
  const countedCursor = (cursor: Cursor, isExplained: boolean): Cursor => ({
    ...{ clone: () => cursor.clone(), explain: verbosity => cursor.explain(verbosity) },
    toArray: () => all(cursor, isExplained),
    [Symbol.asyncIterator]: async function* () {
      yield* await all(cursor, isExplained)
    },
  })
  const counted: Record<string, (method: Method) => Method> = {
    find:
      method =>
      (filter, options = {}) =>
        countedCursor(method(filter, options) as Cursor, !('session' in (options as object))),
    aggregate:
      method =>
      (...given) =>
        countedCursor(method(...given) as Cursor, false),
    findOne:
      method =>
      async (...given) => {
        const row = await method(...given)
        reads.operations += 1
        if (row) reads.documents += 1
        return row
      },
  }
  const collection = (...given: never[]) =>
    new Proxy(database.collection(...given), {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        const method: Method = value.bind(target)
        return counted[String(name)]?.(method) ?? method
      },
    })
  return { db: { ...database, collection }, reads }
}

interface Explained {
  executionStats?: { totalDocsExamined?: number }
}
