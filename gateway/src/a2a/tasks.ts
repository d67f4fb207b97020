import { randomUUID } from 'node:crypto'
import { Task, TaskPushNotificationConfig, TaskState } from '@a2a-js/sdk'
import { RequestMalformedError } from '@a2a-js/sdk/errors'
import type { PushNotificationStore, ServerCallContext, TaskStore } from '@a2a-js/sdk/server'
import { limits, Refusal } from '@carapace/api'
import { checkOutgoing, type OutgoingOptions, OutgoingRefused, type Platform } from '@carapace/service'
import { openCollection } from '@carapace/store'
import type { Collection } from 'mongoose'
import { holderOf, ownerOf } from './context.ts'
import { listTasks } from './list-tasks.ts'

/** A task of A2A as it is stored, for a month after its last change; one of nobody for an hour. */
export interface StoredTask {
  _id: string
  /** The agent that it is of; null: nobody was named, and its id is the key to it. */
  owner: string | null
  /** Among whose tasks it counts; absent from what an older version stored. */
  holder?: string
  contextId: string
  state: TaskState
  /** In JSON, as the protocol has it. */
  task: object
  version: number
  updatedAt: Date
  expireAt: Date
  /** A gig whose changes it reports, its last known status and when it is read next. */
  gigId?: string
  gigStatus?: string
  nextAt?: Date
  /** Whose follows it counts among, while it is followed. */
  follower?: string
  configs: StoredConfig[]
  /** When its subscribers are to be notified of its last change, and how often that has failed. */
  pushAt?: Date
  failures: number
}

/** Where a client is notified, by which token and credentials: sealed, or as an older version stored it. */
type StoredConfig = { id: string } & ({ sealed: string } | { config: object })

export interface FollowedGig {
  gigId: string
  gigStatus: string
}

export interface Tasks {
  collection: Collection
  store: TaskStore
  configs: PushNotificationStore
  /** Has the task follow a gig from now on; its first event may be on its way here still. @throws RATE_LIMITED when its follower follows as many as it may */
  follow(taskId: string, context: ServerCallContext, gig: FollowedGig): Promise<void>
  /** The next task that is due by `field` and of none of these owners, claimed until `until`: another process leaves it alone. */
  claim(field: 'nextAt' | 'pushAt', owners: readonly string[], now: Date, until: Date): Promise<StoredTask | undefined>
  /** The gig of a task was read, and will be next then, unless the task is over by now. */
  polled(taskId: string, gigStatus: string | undefined, nextAt: Date): Promise<void>
  /** Where the clients of a task are notified; without those whose key is lost. */
  configsOf(task: StoredTask): TaskPushNotificationConfig[]
  /** Seals them under the key that seals now. */
  reseal(task: StoredTask): Promise<void>
  /** No push is due any more, unless the task has changed. */
  pushed(taskId: string, version: number): Promise<void>
  pushAgain(taskId: string, version: number, pushAt: Date): Promise<void>
  /** The task as it is stored, if it is there and the caller may see it. */
  seen(taskId: string, context: ServerCallContext): Promise<{ task: Task; version: number; isFollowed: boolean } | undefined>
}

const dayMs = 86_400_000
const storedMs = 30 * dayMs
/** Of one that belongs to nobody. */
const anonymousMs = 3_600_000
const mostMessages = 20
const mostConfigs = 5
/** So many go at a time where they make room. */
const mostRemoved = 100

interface TaskParts extends Pick<Platform, 'db' | 'queue' | 'clock' | 'sealing'> {
  outgoing: OutgoingOptions
}

export async function openTasks({ db, queue, clock, sealing, outgoing }: TaskParts): Promise<Tasks> {
  const now = () => clock.now()
  const tasks = await openCollection<StoredTask>(db, 'a2a_tasks', {
    expire: { key: { expireAt: 1 }, expireAfterSeconds: 0 },
    holder_newest: { key: { holder: 1, updatedAt: -1 }, partialFilterExpression: { holder: { $exists: true } } },
    owner_newest: { key: { owner: 1, updatedAt: -1, _id: -1 } },
    follower: { key: { follower: 1 }, partialFilterExpression: { follower: { $exists: true } } },
    followed: { key: { nextAt: 1 }, partialFilterExpression: { nextAt: { $exists: true } } },
    to_push: { key: { pushAt: 1 }, partialFilterExpression: { pushAt: { $exists: true } } },
  })
  const own = async (taskId: string, context: ServerCallContext) => {
    const row = await tasks.findOne({ _id: taskId })
    return row && (row.owner === null || row.owner === ownerOf(context)) ? row : undefined
  }
  // jobs that wait for a time read it again
  const saved = (taskId: string) => db.changes.emit('saved', tasks.collectionName, taskId, undefined)
  return {
    collection: db.connection.collection(tasks.collectionName),
    store: {
      load: async (taskId, context) => {
        const row = await own(taskId, context)
        return row && row.version > 0 ? Task.fromJSON(row.task) : undefined
      },
      save: async (task, context) => {
        const at = now()
        const state = task.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED
        const fields = {
          contextId: task.contextId,
          state,
          task: Task.toJSON({ ...task, history: task.history.slice(-mostMessages) }) as object,
          updatedAt: at,
          expireAt: expiry(context, at),
        }
        const ends = isOver(state) ? { $unset: { nextAt: 1 as const, follower: 1 as const } } : {}
        await ensure(task.id, context)
        await tasks.updateOne({ _id: task.id }, { $set: fields, $inc: { version: 1 }, ...ends })
        // who is to be notified is known by now
        await tasks.updateOne({ _id: task.id, 'configs.0': { $exists: true } }, { $set: { pushAt: at, failures: 0 } })
        saved(task.id)
      },
      list: (params, context) => listTasks(tasks, params, ownerOf(context)),
    },
    configs: {
      save: async (taskId, context, config) => {
        if (ownerOf(context) === null) throw new RequestMalformedError('Push notifications need a caller that is registered')
        if (!URL.canParse(config.url)) throw new RequestMalformedError('url: it must be an https URL')
        await checkOutgoing(new URL(config.url), outgoing).catch((error: unknown) => {
          if (!(error instanceof OutgoingRefused)) throw error
          throw new RequestMalformedError(`url: ${error.message}`)
        })
        config.id ||= randomUUID()
        config.taskId = taskId
        const entry = { id: config.id, sealed: sealed(taskId, config) }
        await ensure(taskId, context)
        await tasks.updateOne({ _id: taskId }, { $pull: { configs: { id: config.id } } })
        const { matchedCount } = await tasks.updateOne(
          { _id: taskId, [`configs.${mostConfigs - 1}`]: { $exists: false } },
          { $push: { configs: entry } },
        )
        if (matchedCount === 0) throw new RequestMalformedError(`A task has at most ${mostConfigs} push notification configs`)
      },
      load: async (taskId, context) => {
        const row = await own(taskId, context)
        return row ? configsOf(row) : []
      },
      delete: async (taskId, context, configId) => {
        if (await own(taskId, context)) await tasks.updateOne({ _id: taskId }, { $pull: { configs: configId === undefined ? {} : { id: configId } } })
      },
    },
    follow: (taskId, context, gig) => {
      const follower = holderOf(context)
      return queue.serialize(`a2a ${follower}`, async () => {
        const counted = () => tasks.countDocuments({ follower, _id: { $ne: taskId } }, { limit: limits.tasks.follows })
        const refused = () => new Refusal('RATE_LIMITED', { message: `At most ${limits.tasks.follows} gigs are followed for one reader` })
        if ((await counted()) >= limits.tasks.follows) throw refused()
        await ensure(taskId, context)
        await tasks.updateOne({ _id: taskId }, { $set: { ...gig, follower, nextAt: now() } })
        // another replica may have counted the same room: both see it now
        if ((await counted()) >= limits.tasks.follows) {
          await tasks.updateOne({ _id: taskId }, { $unset: { follower: 1, nextAt: 1 } })
          throw refused()
        }
        saved(taskId)
      })
    },
    claim: async (field, owners, at, until) => {
      // those of nobody are stored without a name
      const excluded = owners.map(owner => owner || null)
      const wanted = { [field]: { $lte: at }, ...(owners.length > 0 ? { owner: { $nin: excluded } } : {}) }
      return (await tasks.findOneAndUpdate(wanted, { $set: { [field]: until } }, { sort: { [field]: 1 } })) ?? undefined
    },
    polled: async (taskId, gigStatus, nextAt) => {
      await tasks.updateOne({ _id: taskId, nextAt: { $exists: true } }, { $set: { nextAt, ...(gigStatus === undefined ? {} : { gigStatus }) } })
    },
    configsOf,
    reseal: async ({ _id, configs }) => {
      for (const stored of configs) {
        const config = 'sealed' in stored && stored.sealed.startsWith(sealing.keyId) ? undefined : configOf(_id, stored)
        if (config) await tasks.updateOne({ _id, 'configs.id': stored.id }, { $set: { 'configs.$': { id: stored.id, sealed: sealed(_id, config) } } })
      }
    },
    pushed: async (taskId, version) => {
      await tasks.updateOne({ _id: taskId, version }, { $unset: { pushAt: 1 } })
    },
    pushAgain: async (taskId, version, pushAt) => {
      await tasks.updateOne({ _id: taskId, version }, { $set: { pushAt }, $inc: { failures: 1 } })
    },
    seen: async (taskId, context) => {
      const row = await own(taskId, context)
      return row && row.version > 0 ? { task: Task.fromJSON(row.task), version: row.version, isFollowed: row.nextAt !== undefined } : undefined
    },
  }

  function sealed(taskId: string, config: TaskPushNotificationConfig): string {
    return sealing.seal(JSON.stringify(TaskPushNotificationConfig.toJSON(config)), taskId)
  }

  function configOf(taskId: string, stored: StoredConfig): TaskPushNotificationConfig | undefined {
    if ('config' in stored) return TaskPushNotificationConfig.fromJSON(stored.config)
    const text = sealing.open(stored.sealed, taskId)
    return text === undefined ? undefined : TaskPushNotificationConfig.fromJSON(JSON.parse(text))
  }

  function configsOf({ _id, configs }: StoredTask): TaskPushNotificationConfig[] {
    return configs.flatMap(stored => configOf(_id, stored) ?? [])
  }

  /** What is stored of a task may arrive before the task itself. */
  async function ensure(taskId: string, context: ServerCallContext): Promise<void> {
    const at = now()
    const blank = { contextId: '', state: TaskState.TASK_STATE_UNSPECIFIED, task: {}, version: 0, configs: [], failures: 0 }
    const holder = holderOf(context)
    const row = { ...blank, owner: ownerOf(context), holder, updatedAt: at, expireAt: expiry(context, at) }
    const { upsertedCount } = await tasks.updateOne({ _id: taskId }, { $setOnInsert: row }, { upsert: true })
    if (upsertedCount > 0) await makeRoom(holder, row.owner === null ? limits.tasks.perAddress : limits.tasks.perAgent)
  }

  /** Removes the oldest tasks of a holder, but those that follow a gig. */
  async function makeRoom(holder: string, most: number): Promise<void> {
    const oldest = await tasks
      .find({ holder }, { projection: { _id: 1 } })
      .sort({ updatedAt: -1 })
      .skip(most)
      .limit(mostRemoved)
      .toArray()
    if (oldest.length > 0) await tasks.deleteMany({ _id: { $in: oldest.map(({ _id }) => _id) }, nextAt: { $exists: false } })
  }
}

const expiry = (context: ServerCallContext, at: Date) => new Date(at.getTime() + (ownerOf(context) === null ? anonymousMs : storedMs))

const over: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
])

/** Nothing changes a task in this state any more. */
export const isOver = (state: TaskState): boolean => over.has(state)
