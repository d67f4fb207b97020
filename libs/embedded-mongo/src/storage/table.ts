import type { Database, RangeOptions, RootDatabase, Transaction } from 'lmdb'

/** A frozen view of everything committed when it was opened. It pins disk pages until it is released. */
export interface Snapshot {
  /** @throws MongoError 239 once it is released: what it read may be overwritten */
  readonly transaction: Transaction
  /** They are numbered in the order in which they were opened. */
  readonly number: number
  /** `Storage.version` when it was opened: later writes are on other pages. */
  readonly version: number
  release(): void
}

export interface Range {
  /** First key, included; from the beginning when absent. */
  start: Buffer
  /** The key after the last one. */
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
  /** The values alone, in chunks. */
  valueChunks(range: Range, snapshot?: Snapshot, expected?: number): Generator<Buffer[]>
  count(range: Range, snapshot?: Snapshot): number
  put(key: Buffer, value: Buffer): void
  remove(key: Buffer): void
}

const firstChunk = 16
const shortBytes = 48
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
    readKey: (source: Buffer, start: number, end: number) => {
      if (readsKeys) return copy(source, start, end)
      lastKey = { source, start, end }
      return noKey
    },
  },
}

/** While only values are read, a key is not copied; the last one can be had afterwards from where the wrapper has put it. */
let readsKeys = true
let lastKey: { source: Buffer; start: number; end: number }
const noKey = Buffer.alloc(0)

/** `written` is called for each put and removal. */
export function openTable(env: RootDatabase<Buffer, Buffer>, name: string, written: () => void): Table {
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
  const readValues = (bounds: RangeOptions, size: number): { chunk: Buffer[]; last: Buffer } => {
    readsKeys = false
    try {
      const chunk = readChunk(bounds, size).map(({ value }) => value)
      return { chunk, last: chunk.length === size ? copy(lastKey.source, lastKey.start, lastKey.end) : noKey }
    } finally {
      readsKeys = true
    }
  }
  const table: Table = {
    get: (key, snapshot) => db.get(key, snapshot),
    peek: (key, snapshot) => peek(db, key, snapshot),
    *scan(bounds, snapshot) {
      for (const chunk of table.chunks(bounds, snapshot)) yield* chunk
    },
    chunks: (bounds, snapshot, expected) =>
      inChunks(bounds, snapshot, expected, (part, size) => {
        const chunk = readChunk(part, size)
        return { chunk, last: chunk.at(-1)?.key ?? noKey }
      }),
    valueChunks: (bounds, snapshot, expected) => inChunks(bounds, snapshot, expected, readValues),
    count: ({ start, end }, snapshot) => Number(db.getCount({ start, end, transaction: snapshot?.transaction })),
    put: (key, value) => {
      written()
      void db.put(key, value)
    },
    remove: key => {
      written()
      void db.remove(key)
    },
  }
  return table
}

/** Reads a range part by part; each part begins after the last key of the previous one, regardless of writes in between. */
function* inChunks<T>(
  { start, end, reverse = false }: Range,
  snapshot: Snapshot | undefined,
  expected: number | undefined,
  read: (bounds: RangeOptions, size: number) => { chunk: T[]; last: Buffer },
): Generator<T[]> {
  let size = Math.max(1, Math.min(expected ?? firstChunk, lastChunk))
  let after: Buffer | undefined
  for (;;) {
    const transaction = snapshot?.transaction
    const bounds = reverse
      ? { start: after ?? end, end: start, reverse, exclusiveStart: true, inclusiveEnd: true, transaction }
      : { start: after ?? start, end, reverse, exclusiveStart: after !== undefined, inclusiveEnd: false, transaction }
    const { chunk, last } = read(bounds, size)
    if (chunk.length > 0) yield chunk
    if (chunk.length < size) return
    after = last
    size = Math.min(Math.max(size * 4, firstChunk), lastChunk)
  }
}

/** The wrapper's types do not declare that this read accepts a transaction, as `get` does. */
function peek(db: Database<Buffer, Buffer>, key: Buffer, snapshot: Snapshot | undefined): Buffer | undefined {
  const read: (key: Buffer, snapshot?: Snapshot) => Buffer | undefined = db.getBinaryFast
  return read.call(db, key, snapshot)
}

function copy(source: Buffer, start: number, end: number): Buffer {
  const size = end - start
  const bytes = Buffer.allocUnsafe(size)
  // A view to copy from costs more than a short loop.
  if (size <= shortBytes) for (let i = 0; i < size; i++) bytes[i] = source[start + i]!
  else bytes.set(new Uint8Array(source.buffer, source.byteOffset + start, size))
  return bytes
}
