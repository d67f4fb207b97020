import type { DeadLetter, LetterStore, ParkedLetter } from '@carapace/bus'
import type { Database } from '@carapace/store'

interface Kept {
  _id: string
  queue: string
  eventId: string
  state: 'parked' | 'dead'
  /** Wall clock, for the order of dead letters. */
  at: Date
  letter: ParkedLetter | DeadLetter
}

/** Keeps what the in-process bus could not deliver, so that a crash loses nothing that an outbox has already forgotten. */
export async function mongoLetters(db: Database): Promise<LetterStore> {
  const kept = db.connection.collection<Kept>('letters')
  await kept.createIndex({ state: 1, queue: 1, at: 1 }, { name: 'state_queue' })
  const put = async (state: Kept['state'], queue: string, eventId: string, letter: Kept['letter']) => {
    await kept.replaceOne({ _id: `${queue} ${eventId}` }, { queue, eventId, state, at: new Date(), letter }, { upsert: true })
  }
  return {
    park: letter => put('parked', letter.queue, letter.event.id, letter),
    bury: letter => put('dead', letter.queue, letter.id, letter),
    remove: async (queue, id) => {
      await kept.deleteOne({ _id: `${queue} ${id}` })
    },
    parked: async queue => (await kept.find({ state: 'parked', queue }).toArray()).map(row => row.letter as ParkedLetter),
    dead: async ({ id, queue, limit = 0 }) => {
      const filter = { state: 'dead' as const, ...(id === undefined ? {} : { eventId: id }), ...(queue === undefined ? {} : { queue }) }
      return (await kept.find(filter).sort({ at: 1, _id: 1 }).limit(limit).toArray()).map(row => row.letter as DeadLetter)
    },
  }
}
