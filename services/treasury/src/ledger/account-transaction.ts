import { transact } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import type { Parts } from '../parts.ts'

/** One transaction over several stores about what an agent holds; those of one agent run one after another in this process. @throws as `transact` */
export const accountTransaction = <T>(
  { db, queue }: Pick<Parts, 'db' | 'queue'>,
  agentId: string,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> => queue.serialize(agentId, () => transact({ db }, work))
