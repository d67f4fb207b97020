import { Task } from '@a2a-js/sdk'
import { ResultManager, ServerCallContext, V1PushNotificationSerializer } from '@a2a-js/sdk/server'
import { marketplaceApi } from '@carapace/api'
import { dueBy, type Job, type OutgoingOptions, type Platform, sendOutgoing, workThrough } from '@carapace/service'
import { finished, gigStatus, isFinal } from './executor.ts'
import type { StoredTask, Tasks } from './tasks.ts'

type Parts = Pick<Platform, 'peers' | 'clock' | 'log'> & { a2aTasks: Tasks; outgoing: OutgoingOptions }

const everyMs = 1_000
/** A process that ends in the middle leaves its task to the others after this time. */
const claimMs = 30_000
const longestPauseMs = 15_000
const mostRunning = 20
/** Of the pushes: those of one owner hold no other. */
const mostPerOwner = 2
/** Pauses after failed pushes; after the last one a change is no longer pushed, the next one is. */
const pushPausesMs = [5_000, 60_000, 600_000]

/** Report what happens to followed gigs, and push it. */
export const a2aJobs = (parts: Parts): Job[] => [
  {
    name: 'follow gigs for A2A',
    everyMs,
    due: dueBy(parts.a2aTasks, 'nextAt'),
    run: (_, ending) => each(parts, 'nextAt', mostRunning, task => followed(parts, task), ending),
  },
  {
    name: 'push to clients of A2A',
    everyMs,
    due: dueBy(parts.a2aTasks, 'pushAt'),
    run: (_, ending) => each(parts, 'pushAt', mostPerOwner, task => pushed(parts, task), ending),
  },
]

/** Several under way: a receiver that does not answer delays none of others. */
function each(
  { a2aTasks, clock, log }: Parts,
  field: 'nextAt' | 'pushAt',
  mostPerKey: number,
  work: (task: StoredTask) => Promise<void>,
  ending: AbortSignal,
): Promise<void> {
  const due: Parameters<typeof workThrough>[0]['due'] = async ({ keys }) => {
    const now = clock.now()
    const task = await a2aTasks.claim(field, keys, now, new Date(now.getTime() + claimMs))
    return task ? [{ id: task._id, key: task.owner ?? '', work: () => work(task) }] : []
  }
  return workThrough({ most: mostRunning, mostPerKey, due, log }, ending)
}

/** Reads the gig again, more rarely the longer nothing has happened to it. */
async function followed({ peers, clock, a2aTasks }: Parts, row: StoredTask): Promise<void> {
  const gig = await peers.find('marketplace', marketplaceApi.endpoints.getGig, { params: { id: row.gigId! } })
  const now = clock.now()
  if (gig && gig.status !== row.gigStatus) {
    const context = new ServerCallContext({ user: { isAuthenticated: row.owner !== null, userName: row.owner ?? '' } })
    const record = new ResultManager(a2aTasks.store, context)
    const ids = { id: row._id, contextId: row.contextId }
    await record.processEvent(gigStatus(ids, gig))
    if (isFinal(gig.status)) for (const event of finished(ids, 'gig_status', gig)) await record.processEvent(event)
  }
  await a2aTasks.reseal(row)
  const pauseMs = Math.min(longestPauseMs, Math.max(everyMs, (now.getTime() - row.updatedAt.getTime()) / 20))
  await a2aTasks.polled(row._id, gig?.status, new Date(now.getTime() + pauseMs))
}

const serializer = new V1PushNotificationSerializer()

/** Sends the task as it is to everyone who subscribed; what changed in between arrives with it. */
async function pushed({ a2aTasks, outgoing, clock }: Parts, row: StoredTask): Promise<void> {
  const task = Task.fromJSON(row.task)
  const { body, contentType } = serializer.serialize({ payload: { $case: 'task', value: task } })
  const sent = await Promise.all(
    a2aTasks.configsOf(row).map(({ url, token, authentication }) => {
      const headers: Record<string, string> = { 'content-type': contentType }
      if (token) headers['x-a2a-notification-token'] = token
      if (authentication) headers.authorization = `${authentication.scheme} ${authentication.credentials}`
      return sendOutgoing(new URL(url), { method: 'POST', headers, body }, outgoing).then(
        ({ status }) => status < 300,
        () => false,
      )
    }),
  )
  const pauseMs = sent.includes(false) ? pushPausesMs[row.failures] : undefined
  if (pauseMs === undefined) await a2aTasks.pushed(row._id, row.version)
  else await a2aTasks.pushAgain(row._id, row.version, new Date(clock.now().getTime() + pauseMs))
}
