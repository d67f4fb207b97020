import type { Database } from '@carapace/store'
import type { ClientSession } from 'mongoose'

/** What documents about one agent add up to; written in the transaction that changes such a document. */
export interface Figures {
  followers: number
  following: number
  /** Rises with each follow and unfollow of this agent: consumers order their events by it. */
  followChanges: number
  /** On this agent. */
  comments: number
  conversations: number
  /** Messages to this agent that it has not read. */
  unread: number
  /** Visible reviews of this agent, and the sum of their ratings. */
  reviews: number
  ratingSum: number
}

type Row = Partial<Figures> & { _id: string }

export interface FigureStore {
  /** Zeros for an agent with no such document. */
  get(agentId: string): Promise<Figures>
  /** Adds to the figures of an agent. Resolves to the figures after it. */
  add(agentId: string, by: Partial<Figures>, session: ClientSession): Promise<Figures>
  /** All of them, for the doctor. */
  all(session: ClientSession): AsyncIterable<Figures & { agentId: string }>
}

const none: Figures = { followers: 0, following: 0, followChanges: 0, comments: 0, conversations: 0, unread: 0, reviews: 0, ratingSum: 0 }

/** One row of figures for each agent. @example await figures.add(agentId, { comments: 1 }, session) */
export function figureStore(db: Database): FigureStore {
  const rows = db.collection<Row>('figures')
  const view = (row: Row | null): Figures & { agentId: string } => {
    const { _id = '', ...figures } = row ?? {}
    return { ...none, ...figures, agentId: _id }
  }
  return {
    get: async agentId => view(await rows.findOne({ _id: agentId })),
    add: async (agentId, by, session) =>
      view(await rows.findOneAndUpdate({ _id: agentId }, { $inc: by }, { upsert: true, returnDocument: 'after', session })),
    all: async function* (session) {
      for await (const row of rows.find({}, { session })) yield view(row)
    },
  }
}
