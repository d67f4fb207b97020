import type { Database, RangeOptions, RootDatabase, Transaction } from 'lmdb'

/** A frozen view of everything committed when it was taken. It pins disk pages until it is released. */
export interface Snapshot {
  readonly transaction: Transaction
  release(): void
}

export interface Range {
  /** First key, included; from the beginning when absent. */
  start: Buffer
  /** The key behind the last one. */
  end: Buffer
  reverse?: boolean
}

export interface Entry {
  key: Buffer
  value: Buffer
}

/** One ordered table of keys (at most 1,978 bytes) and values. Reads are synchronous; writes are allowed only inside `Storage.write`. */
export interface Table {
  get(key: Buffer, snapshot?: Snapshot): Buffer | undefined
  /** Like `get`, without a copy: the bytes are good only until the next read of any table. */
  peek(key: Buffer, snapshot?: Snapshot): Buffer | undefined
  /** Walks a range; between two entries the caller may pause for as long as it likes. */
  scan(range: Range, snapshot?: Snapshot): Generator<Entry>
  /** The same in chunks, of which the first has `expected` entries: how many the caller will probably want. */
  chunks(range: Range, snapshot?: Snapshot, expected?: number): Generator<Entry[]>
  count(range: Range, snapshot?: Snapshot): number
  put(key: Buffer, value: Buffer): void
  remove(key: Buffer): void
}

const firstChunk = 16
const lastChunk = 512

/** Values and keys are copied into pooled buffers, which is several times cheaper than the slices that LMDB's wrapper would make. */
const codec = {
  encoding: 'binary' as const,
  encoder: {
    encode: (value: Buffer) => value,
    decode: (bytes: Buffer, size: unknown) => copy(bytes, 0, typeof size === 'number' ? size : bytes.length),
  },
  keyEncoder: {
    writeKey: (key: Buffer, target: Buffer, start: number) => {
      target.set(key, start)
      return start + key.length
    },
    readKey: (source: Buffer, start: number, end: number) => copy(source, start, end),
  },
}

export function openTable(env: RootDatabase<Buffer, Buffer>, name: string): Table {
  const db = env.openDB<Buffer, Buffer>(name, codec)
  // One range object serves all scans: making one costs LMDB's wrapper a text decoder each time. Its options are read when it is iterated.
  const options: RangeOptions = {}
  const range = db.getRange(options)
  const readChunk = (bounds: RangeOptions, size: number): Entry[] => {
    Object.assign(options, bounds)
    const chunk: Entry[] = []
    const iterator = range[Symbol.iterator]()
    while (chunk.length < size) {
      const { done, value } = iterator.next()
      if (done) return chunk
      chunk.push(value)
    }
    iterator.return?.()
    return chunk
  }
  const table: Table = {
    get: (key, snapshot) => db.get(key, snapshot),
    peek: (key, snapshot) => peek(db, key, snapshot),
    *scan(bounds, snapshot) {
      for (const chunk of table.chunks(bounds, snapshot)) yield* chunk
    },
    *chunks({ start, end, reverse = false }, snapshot, expected = firstChunk) {
      let size = Math.max(1, Math.min(expected, lastChunk))
      let last: Buffer | undefined
      for (;;) {
        const transaction = snapshot?.transaction
        const chunk = reverse
          ? readChunk({ start: last ?? end, end: start, reverse, exclusiveStart: true, inclusiveEnd: true, transaction }, size)
          : readChunk({ start: last ?? start, end, reverse, exclusiveStart: last !== undefined, inclusiveEnd: false, transaction }, size)
        if (chunk.length > 0) yield chunk
        if (chunk.length < size) return
        last = chunk[chunk.length - 1]!.key
        size = Math.min(Math.max(size * 4, firstChunk), lastChunk)
      }
    },
    count: ({ start, end }, snapshot) => Number(db.getCount({ start, end, transaction: snapshot?.transaction })),
    put: (key, value) => void db.put(key, value),
    remove: key => void db.remove(key),
  }
  return table
}

/** The wrapper's types do not tell that this read takes a transaction, as `get` does. */
function peek(db: Database<Buffer, Buffer>, key: Buffer, snapshot: Snapshot | undefined): Buffer | undefined {
  const read: (key: Buffer, snapshot?: Snapshot) => Buffer | undefined = db.getBinaryFast
  return read.call(db, key, snapshot)
}

function copy(source: Buffer, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start)
  bytes.set(new Uint8Array(source.buffer, source.byteOffset + start, end - start))
  return bytes
}
