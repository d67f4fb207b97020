import type { LooseArgs, Row } from './call.ts'

/** The platform gives no longer ones. */
const pageSize = 100

/**
 * The entries of a list, one page after the other. New entries push older ones to the next page while it is read: one that the last page had already
 * is left out. `limit` is the size of a page, `offset` where it begins.
 */
export async function* pagesOf(row: Row, args: LooseArgs, once: (args: LooseArgs) => Promise<unknown>): AsyncGenerator<unknown> {
  const { limit = pageSize, offset = 0, page = 1, ...filter } = (args.query ?? {}) as Record<string, unknown>
  const size = Math.min(Number(limit), pageSize)
  let seen = new Set<unknown>()
  for (let n = 0; ; n++) {
    const place = row.by === 'page' ? { page: Number(page) + n } : { offset: Number(offset) + n * size }
    const answer = await once({ ...args, query: { ...filter, limit: size, ...place } })
    const entries = (row.items === '' ? answer : (answer as Record<string, unknown>)[row.items!]) as readonly unknown[]
    const ids = entries.map(idOf)
    yield* entries.filter((_, i) => ids[i] === undefined || !seen.has(ids[i]))
    if (entries.length < size) return
    seen = new Set(ids)
  }
}

const idOf = (entry: unknown): unknown => (typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : undefined)
