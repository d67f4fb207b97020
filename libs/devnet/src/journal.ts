import { type FileHandle, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** A block as it was mined: what a replay must reproduce. */
export type RecordedBlock = { number: number; hash: string; timestamp: number; receiptsRoot: string; txs: string[] }

/**
 * The journal's entries. `call` is written before it is forwarded and followed by `done`; a call without `done` was never answered.
 * `offsetSec` marks calls that move the chain's clock: a replay sets the clock once, at its end.
 */
export type Entry =
  | { kind: 'tx'; raw: string }
  | { kind: 'drop'; hashes: string[] }
  | { kind: 'call'; method: string; params: unknown; offsetSec?: number }
  | { kind: 'done'; ok: boolean }
  | ({ kind: 'block' } & RecordedBlock)

/** Append-only, one file per generation; generation n holds what happened after dump n. */
export type Journal = {
  /** Adds entries in call order; settles when they are on the disk. One fsync serves all entries that wait for it. */
  append: (...entries: Entry[]) => Promise<void>
  /** Goes on in a new file, whose first entries are `carried`. Entries appended meanwhile follow them. */
  rotate: (generation: number, carried: Entry[]) => Promise<void>
  bytes: () => number
  close: () => Promise<void>
}

const fileName = (generation: number) => `journal.${generation}.ndjson`

/** Opens a new journal file of `generation` in `dir`. An I/O error fails every later append: what cannot be written is not acknowledged. */
export async function openJournal(dir: string, generation: number): Promise<Journal> {
  let file = await createFile(dir, generation)
  let gathering: { lines: string[]; done: Promise<void> } | undefined
  let writing: Promise<void> = Promise.resolve()
  let bytes = 0

  const write = async (lines: string[]) => {
    // Entries that come while this write is on its way to the disk gather for the next one.
    gathering = undefined
    await file.write(lines.join(''))
    await file.datasync()
  }
  const append = (...entries: Entry[]): Promise<void> => {
    if (!gathering) {
      const lines: string[] = []
      writing = writing.then(() => write(lines))
      gathering = { lines, done: writing }
    }
    for (const entry of entries) {
      const line = `${JSON.stringify(entry)}\n`
      gathering.lines.push(line)
      bytes += line.length
    }
    return gathering.done
  }
  const rotate = async (next: number, carried: Entry[]) => {
    gathering = undefined
    writing = writing.then(async () => {
      const old = file
      file = await createFile(dir, next)
      await old.close()
    })
    bytes = 0
    await append(...carried)
  }
  return {
    append,
    rotate,
    bytes: () => bytes,
    close: async () => {
      await append()
      await file.close()
    },
  }
}

async function createFile(dir: string, generation: number): Promise<FileHandle> {
  const file = await open(join(dir, fileName(generation)), 'ax', 0o600)
  await syncDir(dir)
  return file
}

export async function syncDir(dir: string): Promise<void> {
  const handle = await open(dir, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The generations that have a journal file, ascending. */
export async function journalGenerations(dir: string): Promise<number[]> {
  const numbers = (await readdir(dir)).map(name => /^journal\.(\d+)\.ndjson$/.exec(name)?.[1]).filter(text => text !== undefined)
  return numbers.map(Number).sort((a, b) => a - b)
}

/** Reads one generation. A torn last line (a crash in mid-write, never acknowledged) is left out; damage elsewhere is an error. */
export async function readJournal(dir: string, generation: number): Promise<Entry[]> {
  const lines = (await readFile(join(dir, fileName(generation)), 'utf8')).split('\n')
  // A complete file ends in a newline, so the last piece is empty or torn.
  lines.pop()
  return lines.map((line, index) => {
    try {
      return JSON.parse(line) as Entry
    } catch {
      throw new Error(`${fileName(generation)} in ${dir} is damaged at line ${index + 1}`)
    }
  })
}

export async function removeJournals(dir: string, below: number): Promise<void> {
  for (const generation of await journalGenerations(dir)) if (generation < below) await rm(join(dir, fileName(generation)), { force: true })
}
