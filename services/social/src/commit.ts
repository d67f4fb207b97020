import { transact } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import type { Parts } from './parts.ts'

/** One transaction over documents and figures. Those with the same key run one after another in this process. @throws what `work` refuses; CONFLICT, TIMEOUT */
export const commit = <T>(parts: Parts, key: string, work: (session: ClientSession) => Promise<T>): Promise<T> =>
  parts.queue.serialize(key, () => transact(parts, work))
