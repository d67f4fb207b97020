import type { DeadLetter, DeadLetterStore, ParkedMessage } from '@carapace/bus'
import { type Database, openCollection } from '@carapace/store'

interface StoredMessage {
  _id: string
  queue: string
  eventId: string
  state: 'parked' | 'dead'
  /** Wall clock, for the order of dead letters. */
  at: Date
  letter: ParkedMessage | DeadLetter
}

/** Stores what the in-process bus could not deliver, so that a crash loses nothing that an outbox has already forgotten. */
export async function mongoDeadLetters(db: Database): Promise<DeadLetterStore> {
  const stored = await openCollection<StoredMessage>(db, 'letters', { state_queue: { key: { state: 1, queue: 1, at: 1 } } })
  const put = async (state: StoredMessage['state'], queue: string, eventId: string, message: StoredMessage['letter']) => {
    await stored.replaceOne({ _id: `${queue} ${eventId}` }, { queue, eventId, state, at: new Date(), letter: message }, { upsert: true })
  }
  return {
    park: message => put('parked', message.queue, message.event.id, message),
    bury: deadLetter => put('dead', deadLetter.queue, deadLetter.id, deadLetter),
    remove: async (queue, id) => {
      await stored.deleteOne({ _id: `${queue} ${id}` })
    },
    parked: async queue => (await stored.find({ state: 'parked', queue }).toArray()).map(row => row.letter as ParkedMessage),
    dead: async ({ id, queue, limit = 0 }) => {
      const filter = { state: 'dead' as const, ...(id === undefined ? {} : { eventId: id }), ...(queue === undefined ? {} : { queue }) }
      return (await stored.find(filter).sort({ at: 1, _id: 1 }).limit(limit).toArray()).map(row => row.letter as DeadLetter)
    },
  }
}
