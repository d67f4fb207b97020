import { type ListTasksRequest, type ListTasksResponse, Task } from '@a2a-js/sdk'
import type { Collection } from 'mongoose'
import type { StoredTask } from './tasks.ts'

const mostListed = 100
/** More than an agent has; the database refuses numbers that are none of its own. */
const mostSkipped = 100_000

/** A page of the tasks of an agent: what belongs to nobody is not listed. */
export async function listTasks(tasks: Collection<StoredTask>, params: ListTasksRequest, owner: string | null): Promise<ListTasksResponse> {
  const pageSize = Math.min(Math.max(params.pageSize ?? 50, 1), mostListed)
  const after = placeOf(params.pageToken)
  if (owner === null) return { tasks: [], nextPageToken: '', pageSize, totalSize: 0 }
  const filter = {
    owner,
    version: { $gt: 0 },
    ...(params.contextId ? { contextId: params.contextId } : {}),
    ...(params.status ? { state: params.status } : {}),
    ...(params.statusTimestampAfter ? { updatedAt: { $gt: new Date(params.statusTimestampAfter) } } : {}),
  }
  const rows = await tasks.find(filter).sort({ updatedAt: -1, _id: -1 }).skip(after).limit(pageSize).toArray()
  const totalSize = await tasks.countDocuments(filter)
  const page = rows.map(({ task }) => Task.fromJSON(task)).map(task => ({ ...task, artifacts: params.includeArtifacts ? task.artifacts : [] }))
  const end = after + rows.length
  return { tasks: page, nextPageToken: end < totalSize ? String(end) : '', pageSize, totalSize }
}

/** A token says how many tasks came before its page; one that no page has given is the first one's. */
const placeOf = (token: string): number => Math.min(Math.max(0, Number.parseInt(token, 10) || 0), mostSkipped)
