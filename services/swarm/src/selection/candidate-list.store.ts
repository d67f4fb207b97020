import type { PageQuery } from '@carapace/api'
import type { AgentProjection, SeenAgent } from '@carapace/projections'
import type { Platform } from '@carapace/service'
import { type Indexes, type Page, totalsOf, transact } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import { candidateFacts, type ListChange, type Listed } from './candidate-list.ts'
import { mostRead } from './places.ts'
import { isCandidate, seenWithinMs } from './selection.ts'

/** The list as it is at one version. */
export interface ListReader {
  version: number
  size: number
  /** Those at these places, in the order given. */
  at(places: readonly number[]): Promise<Listed[]>
  /** Agents that were to be read with the list, those of them that are known, once places were read. */
  others: ReadonlyMap<string, SeenAgent>
}

export interface CandidateList {
  /** Lets the agent join or leave, as its facts say. */
  follow(agent: SeenAgent): Promise<void>
  /** Follows those who have not been seen for long, and the next agents of an endless walk over all: a few, however many agents there are. */
  tend(now: Date): Promise<void>
  /**
   * Runs `work` on the list of one moment, and again where the list was changed meanwhile. The places that it requests together are one read.
   * @param others ids of agents that are read with it
   */
  read<T>(others: readonly string[], work: (list: ListReader) => Promise<T>): Promise<T>
  /** Changes, newest first: the first one of a place up to a version says who had it then. */
  changes(filter: { place?: number | undefined; untilVersion?: number | undefined }, page: PageQuery): Promise<Page<ListChange>>
}

interface Head {
  _id: 'list'
  version: number
  size: number
  /** Every agent that was known before there was a list has been followed. */
  isWhole?: boolean
  /** Where the walk over all agents is. */
  walkedTo?: string
}
type Extent = Pick<Head, 'version' | 'size'>
type Row = Record<string, unknown> & { _id: string; place?: number }
type Change = Omit<ListChange, 'version'> & { _id: number }

const indexes: Indexes = {
  place: { key: { place: 1 }, unique: true, partialFilterExpression: { place: { $exists: true } } },
  place_seen: { key: { lastSeenAt: 1 }, partialFilterExpression: { place: { $exists: true } } },
}
const changesName = 'candidate_list_changes'
const changeIndexes: Indexes = { place: { key: { place: 1, _id: -1 } } }
/** Agents that one run reads. */
const batch = 200

/** The list is not the one that the work began with. */
class ListChanged extends Error {}
/** Then a transaction is the moment. */
const mostAttempts = 3

/** The agent has a place, which somebody else gave it: nothing of the change is written. */
class AlreadyListed extends Error {}

/**
 * The agents that may come to a panel, at dense places 0 to size − 1, so that a draw reads a bounded number of them. A leaver's place goes to the
 * last one. A place is a field of the agent's row in the projection; each change is one transaction with its entry in the log.
 */
export function candidateList(
  { db, clock }: Pick<Platform, 'db' | 'clock'>,
  agents: Pick<AgentProjection<SeenAgent>, 'find' | 'rowOf'>,
): CandidateList {
  const heads = db.collection<Head>('candidate_list')
  const rows = db.collection<Row>('agents', indexes)
  const log = db.collection<Change>(changesName, changeIndexes)
  const totals = totalsOf(db, changesName)

  /** The list as this process last read or wrote it; the next read says whether it is still so. */
  let lastKnown: Extent | undefined
  const change = async (step: 1 | -1, session: ClientSession) => {
    const head = await heads.findOneAndUpdate(
      { _id: 'list' },
      { $inc: { version: 1, size: step } },
      { session, upsert: true, returnDocument: 'after' },
    )
    const { version, size } = head!
    const changed = () => {
      lastKnown = { version, size }
    }
    const note = (entry: Pick<ListChange, 'place' | 'agentId' | 'leftAgentId'>) =>
      log.insertOne({ _id: version, ...entry, size, at: clock.now() }, { session })
    return { size, note, changed }
  }
  const join = (agentId: string) =>
    transact({ db }, async session => {
      const { size, note, changed } = await change(1, session)
      const { matchedCount } = await rows.updateOne({ _id: agentId, place: { $exists: false } }, { $set: { place: size - 1 } }, { session })
      if (matchedCount === 0) throw new AlreadyListed()
      await note({ place: size - 1, agentId, leftAgentId: null })
      return changed
    })
      .then(changed => changed())
      .catch((error: unknown) => {
        if (!(error instanceof AlreadyListed)) throw error
      })
  const leave = (agentId: string) =>
    transact({ db }, async session => {
      const left = await rows.findOneAndUpdate({ _id: agentId, place: { $exists: true } }, { $unset: { place: '' } }, { session })
      if (left?.place === undefined) return undefined
      const { size, note, changed } = await change(-1, session)
      const place = left.place
      const isLast = place === size
      const last = isLast ? null : await rows.findOneAndUpdate({ place: size }, { $set: { place } }, { session })
      await note({ place, agentId: last?._id ?? null, leftAgentId: agentId })
      return changed
    }).then(changed => changed?.())
  const follow: CandidateList['follow'] = async (agent: Listed) => {
    const belongs = isCandidate(candidateFacts(agent), clock.now())
    if (belongs && agent.place === undefined) await join(agent.id)
    if (!belongs && agent.place !== undefined) await leave(agent.id)
  }
  const followAll = async (found: readonly SeenAgent[]) => {
    for (const agent of found) await follow(agent)
  }
  /** The next agents of the walk; whether it has come to the end. */
  const walk = async (after: string) => {
    const found = await agents.find({ _id: { $gt: after } }, { limit: batch })
    await followAll(found)
    return { last: found.at(-1)?.id ?? '', isEnd: found.length < batch }
  }
  const setHead = (fields: Partial<Head>) =>
    heads.updateOne({ _id: 'list' }, { $set: fields, $setOnInsert: { version: 0, size: 0 } }, { upsert: true })
  /** Agents of a data folder that had no list yet. */
  const makeWhole = async () => {
    for (let at = { last: '', isEnd: false }; !at.isEnd; ) at = await walk(at.last)
    await setHead({ isWhole: true })
  }
  let whole: Promise<void> | undefined
  const needWhole = () => {
    whole ??= heads
      .findOne({ _id: 'list', isWhole: true })
      .then(found => (found ? undefined : makeWhole()))
      .catch((error: unknown) => {
        whole = undefined
        throw error
      })
    return whole
  }

  const ofHead = { $match: { _id: 'list' } }
  const unionOf = (coll: string, filter: object) => ({ $unionWith: { coll, pipeline: [{ $match: filter }] } })
  const isHead = (document: Head | Row): document is Head => document._id === 'list'
  /** Agents at some places and those others by one read. The version is read before and after them: where it is the same, all is of that version. */
  const readAt = async (places: object, others: readonly string[]) => {
    // each by its own index; a party may be found twice
    const ofAgents = [{ place: places }, ...(others.length > 0 ? [{ _id: { $in: [...others] } }] : [])]
    const stages = [ofHead, ...ofAgents.map(filter => unionOf('agents', filter)), unionOf(heads.collectionName, ofHead.$match)]
    const documents = await heads.aggregate<Head | Row>(stages).toArray()
    const [before, after] = documents.filter(isHead)
    const { version, size } = after ?? { version: 0, size: 0 }
    lastKnown = { version, size }
    if ((before?.version ?? 0) !== version) throw new ListChanged()
    const found: Listed[] = documents.flatMap(document => (isHead(document) ? [] : (agents.rowOf(document) ?? [])))
    return { version, size, found }
  }
  const readShort = async <T>(others: readonly string[], work: (list: ListReader) => Promise<T>): Promise<T> => {
    const { version, size, found } = await readAt({ $lt: mostRead }, others)
    if (size > mostRead) throw new ListChanged()
    return work({ version, size, at: async places => inOrder(places, found), others: byId(found) })
  }
  /** Of a long list only the places that the draw requests. */
  const readLong = <T>(head: Extent, others: readonly string[], work: (list: ListReader) => Promise<T>): Promise<T> => {
    const foundOthers = new Map<string, SeenAgent>()
    const at: ListReader['at'] = async places => {
      const { version, found } = await readAt({ $in: [...places] }, foundOthers.size === 0 ? others : [])
      if (version !== head.version) throw new ListChanged()
      for (const agent of found) if (others.includes(agent.id)) foundOthers.set(agent.id, agent)
      return inOrder(places, found)
    }
    return work({ ...head, at, others: foundOthers })
  }
  /** Its transaction is the moment. */
  const readStill = <T>(others: readonly string[], work: (list: ListReader) => Promise<T>): Promise<T> =>
    db.transaction(async session => {
      const head = await heads.findOne({ _id: 'list' }, { session })
      const at: ListReader['at'] = async places => inOrder(places, await agents.find({ place: { $in: [...places] } }, { session }))
      const read = await agents.find({ _id: { $in: [...others] } }, { session })
      return work({ version: head?.version ?? 0, size: head?.size ?? 0, at, others: byId(read) })
    })

  return {
    follow,
    tend: async now => {
      await needWhole()
      const unseen = { place: { $exists: true }, lastSeenAt: { $lt: new Date(now.getTime() - seenWithinMs) } }
      await followAll(await agents.find(unseen, { sort: { lastSeenAt: 1 }, limit: batch }))
      const { last, isEnd } = await walk((await heads.findOne({ _id: 'list' }))?.walkedTo ?? '')
      await setHead({ walkedTo: isEnd ? '' : last })
    },
    read: async (others, work) => {
      await needWhole()
      for (let attempt = 1; attempt <= mostAttempts; attempt++) {
        try {
          return await (lastKnown && lastKnown.size > mostRead ? readLong(lastKnown, others, work) : readShort(others, work))
        } catch (error) {
          if (!(error instanceof ListChanged)) throw error
        }
      }
      return readStill(others, work)
    },
    changes: ({ place, untilVersion = Number.MAX_SAFE_INTEGER }, page) => {
      // named in any case: a range of the index by version, in its order
      const filter = { _id: { $lte: untilVersion }, ...(place === undefined ? {} : { place }) }
      const { limit, offset: skip } = page
      return totals.page(filter, page, async () =>
        (await log.find(filter, { sort: { _id: -1 }, limit, skip }).toArray()).map(({ _id: version, ...entry }) => ({ version, ...entry })),
      )
    },
  }
}

const byId = (agents: readonly SeenAgent[]): Map<string, SeenAgent> => new Map(agents.map(agent => [agent.id, agent]))

function inOrder(places: readonly number[], agents: readonly Listed[]): Listed[] {
  const byPlace = new Map(agents.map(agent => [agent.place, agent]))
  return places.flatMap(place => byPlace.get(place) ?? [])
}
