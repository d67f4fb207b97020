import { createHash } from 'node:crypto'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { syncDir } from './journal.ts'

/** What a dump says of itself in its first line; the gzipped chain state follows. */
export type DumpHeader<A> = {
  chainId: number
  /** The genesis block's timestamp: an anvil that loads the dump must be started with it, or it adds a second genesis block to the chain. */
  genesisSec: number
  genesisHash: string
  number: number
  hash: string
  timestamp: number
  /** The chain's clock against the wall clock. */
  offsetSec: number
  addresses: A
}
export type Dump<A> = { generation: number; header: DumpHeader<A>; state: string }

const fileName = (generation: number) => `state.${generation}.dump`
const generationCount = 2

/** Writes a dump atomically (temp file, fsync, rename, fsync of the folder) and removes all but the newest two. Returns its bytes. */
export async function writeDump<A>(dir: string, { generation, header, state }: Dump<A>): Promise<number> {
  const body = Buffer.from(state.slice(2), 'hex')
  const head = Buffer.from(`${JSON.stringify({ ...header, sha256: digest(body) })}\n`)
  const temp = join(dir, `${fileName(generation)}.${process.pid}.tmp`)
  const file = await open(temp, 'w', 0o600)
  try {
    await file.writev([head, body])
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temp, join(dir, fileName(generation)))
  await syncDir(dir)
  for (const old of (await dumpGenerations(dir)).slice(generationCount)) await rm(join(dir, fileName(old)), { force: true })
  return head.length + body.length
}

/** The newest dump that is whole; undefined when there is none. Torn or altered files are passed over. */
export async function newestDump<A>(dir: string): Promise<Dump<A> | undefined> {
  for (const generation of await dumpGenerations(dir)) {
    const dump = parseDump<A>(generation, await readFile(join(dir, fileName(generation))))
    if (dump) return dump
  }
  return undefined
}

/** Removes dumps that are newer than the one in use: they are damaged, and must not count as generations. */
export async function removeDumpsAbove(dir: string, generation: number): Promise<void> {
  for (const damaged of await dumpGenerations(dir)) if (damaged > generation) await rm(join(dir, fileName(damaged)), { force: true })
}

/** Generations that have a dump file, whole or not, newest first. */
export async function dumpGenerations(dir: string): Promise<number[]> {
  const numbers = (await readdir(dir)).map(name => /^state\.(\d+)\.dump$/.exec(name)?.[1]).filter(text => text !== undefined)
  return numbers.map(Number).sort((a, b) => b - a)
}

function parseDump<A>(generation: number, content: Buffer): Dump<A> | undefined {
  const end = content.indexOf('\n')
  if (end < 0) return undefined
  const body = content.subarray(end + 1)
  try {
    const { sha256, ...header } = JSON.parse(content.toString('utf8', 0, end)) as DumpHeader<A> & { sha256: string }
    if (sha256 !== digest(body)) return undefined
    gunzipSync(body)
    return { generation, header, state: `0x${body.toString('hex')}` }
  } catch {
    return undefined
  }
}

function digest(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}
