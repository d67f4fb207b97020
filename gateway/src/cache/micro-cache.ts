import type { RawHeaders } from '../request/headers.ts'

/** An answer as it goes out, but for the headers of each request. */
export interface CachedAnswer {
  headers: RawHeaders
  etag: string | undefined
  /** In latin1: a string goes out with its head in one write. */
  body: string
}

/** The place of an answer. */
export interface Place {
  /** Everything the answer depends on. */
  key: string
  /** Who answers. */
  service: string
  /** The aggregate whose record the answer is; undefined for a list and all else that may name many. */
  record: string | undefined
}

/** An answer on its way; it is stored whole, or not at all. */
export interface Filling {
  add(chunk: Buffer): void
  /** Undefined for an answer that is cut or must not be stored. Only the first call counts. */
  end(head?: { headers: RawHeaders; etag: string | undefined }): void
}

/** What a write may have changed: anything of its service, and the aggregates it names. */
export type Written = { service: string; ids: ReadonlySet<string> } | 'everything'

export interface MicroCache {
  find(key: string): CachedAnswer | undefined
  /** Before the service gets the request: a write that ends from now on makes its answer an older one. */
  fill(place: Place): Filling
  /** A write has ended. Drops what it may have changed and everything that is no record, stored or on its way. */
  drop(written: Written): void
}

export interface CacheLimits {
  /** No longer than the shortest max-age of a public answer. */
  lifetimeMs: number
  /** Of all answers, stored and on their way. */
  bytes: number
  bytesOfOne: number
}

export const cacheLimits: CacheLimits = { lifetimeMs: 1_000, bytes: 8 * 2 ** 20, bytesOfOne: 256 * 2 ** 10 }
/** What an entry needs besides its text. */
const overhead = 500

type Source = Omit<Place, 'key'>
interface Entry {
  answer: CachedAnswer
  source: Source
  size: number
  endsAt: number
}
interface Running {
  source: Source
  isOutdated: boolean
}

/**
 * Answers of the last second, in memory of a fixed size. All live equally long, so the first one in is the first to expire and to make room.
 * @param now monotonic, ms
 */
export function microCache(limits: CacheLimits = cacheLimits, now: () => number = () => performance.now()): MicroCache {
  const entries = new Map<string, Entry>()
  const running = new Set<Running>()
  let bytes = 0

  const remove = (key: string, { size }: Entry) => {
    entries.delete(key)
    bytes -= size
  }
  /** Removes what has expired, and the oldest until `wanted` more bytes fit. */
  const makeRoom = (wanted: number) => {
    const time = now()
    for (const [key, entry] of entries) {
      if (entry.endsAt > time && bytes + wanted <= limits.bytes) return
      remove(key, entry)
    }
  }

  const fill = ({ key, ...source }: Place): Filling => {
    const endsAt = now() + limits.lifetimeMs
    const own: Running = { source, isOutdated: false }
    running.add(own)
    const chunks: Buffer[] = []
    let length = 0
    const finish = () => {
      running.delete(own)
      bytes -= length
      length = 0
    }
    return {
      add: chunk => {
        if (!running.has(own)) return
        length += chunk.length
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes > limits.bytes) makeRoom(0)
        if (length > limits.bytesOfOne || bytes > limits.bytes) finish()
      },
      end: head => {
        if (!running.has(own)) return
        finish()
        if (!head || own.isOutdated || now() >= endsAt) return
        const body = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('latin1')
        const size = key.length + body.length + head.headers.join('').length + overhead
        if (size > limits.bytesOfOne) return
        const former = entries.get(key)
        if (former) remove(key, former)
        makeRoom(size)
        if (bytes + size > limits.bytes) return
        entries.set(key, { answer: { ...head, body }, source, size, endsAt })
        bytes += size
      },
    }
  }

  return {
    find: key => {
      const entry = entries.get(key)
      if (!entry) return undefined
      if (entry.endsAt > now()) return entry.answer
      remove(key, entry)
      return undefined
    },
    fill,
    drop: written => {
      const isOutdated = ({ service, record }: Source) =>
        written === 'everything' || record === undefined || written.service === service || written.ids.has(record)
      for (const [key, entry] of entries) if (isOutdated(entry.source)) remove(key, entry)
      for (const filling of running) filling.isOutdated ||= isOutdated(filling.source)
    },
  }
}
