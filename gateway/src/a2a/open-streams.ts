import { randomUUID } from 'node:crypto'
import { limits, Refusal } from '@carapace/api'
import type { Platform } from '@carapace/service'
import { openCollection } from '@carapace/store'

/** A stream that counts. */
export interface OpenStream {
  /** Aborted when its reader disconnects, or the gateway ends. */
  signal: AbortSignal
  leave(): Promise<void>
}

export interface OpenStreams {
  /** @param reader an agent, or an address @throws RATE_LIMITED when it, or this process, has as many streams as it may have */
  enter(reader: string, disconnected: AbortSignal): Promise<OpenStream>
  /** Ends them all: the server could not close otherwise. */
  close(): Promise<void>
}

/** A stream of any replica; one whose process has died counts until its time is over. */
interface StreamRow {
  _id: string
  reader: string
  expireAt: Date
}

const [livesMs, renewMs] = [60_000, 20_000]

/** The streams of A2A. Each reads the database again and again; those of one reader are counted there, over all replicas. */
export async function openStreams({ db, queue }: Pick<Platform, 'db' | 'queue'>): Promise<OpenStreams> {
  const rows = await openCollection<StreamRow>(db, 'a2a_streams', {
    expire: { key: { expireAt: 1 }, expireAfterSeconds: 0 },
    reader: { key: { reader: 1, expireAt: 1 } },
  })
  const here = new Map<string, AbortController>()
  const end = () => new Date(Date.now() + livesMs)
  /** Where the database is away, a row ends by its time. */
  const remove = async (ids: string[]) => {
    for (const id of ids) here.delete(id)
    await rows.deleteMany({ _id: { $in: ids } }).catch(() => undefined)
  }
  const renewal = setInterval(() => {
    if (here.size > 0) void rows.updateMany({ _id: { $in: [...here.keys()] } }, { $set: { expireAt: end() } }).catch(() => undefined)
  }, renewMs).unref()

  /** Entered before it is counted: two replicas that count at the same time see each other. */
  const enter = async (reader: string, ending: AbortController): Promise<string> => {
    if (here.size >= limits.tasks.perProcess) throw new Refusal('RATE_LIMITED', { message: 'No further stream can be opened here' })
    const id = randomUUID()
    here.set(id, ending)
    try {
      await rows.insertOne({ _id: id, reader, expireAt: end() })
      const own = await rows.countDocuments({ reader, expireAt: { $gt: new Date() } }, { limit: limits.tasks.streams + 1 })
      if (own > limits.tasks.streams) throw new Refusal('RATE_LIMITED', { message: `${limits.tasks.streams} streams of this reader are open` })
    } catch (error) {
      await remove([id])
      throw error
    }
    return id
  }
  return {
    enter: async (reader, disconnected) => {
      const ending = new AbortController()
      const leave = () => ending.abort()
      if (disconnected.aborted) leave()
      disconnected.addEventListener('abort', leave, { once: true })
      const id = await queue.serialize(`a2a streams ${reader}`, () => enter(reader, ending))
      return { signal: ending.signal, leave: () => remove([id]) }
    },
    close: async () => {
      clearInterval(renewal)
      for (const ending of here.values()) ending.abort()
      await remove([...here.keys()])
    },
  }
}
