/** The part of a driver's collection that is made to fail. */
interface Readable {
  findOne: unknown
}

/**
 * Makes the reads of single documents of a collection fail as those of a database that is away, until it is ended.
 * @example const lost = loseReads(db.connection.collection('payments')); …; lost.end()
 */
export function loseReads(collection: Readable): { count(): number; end(): void } {
  const { findOne } = collection
  let count = 0
  collection.findOne = () => {
    count += 1
    return Promise.reject(Object.assign(new Error('connection closed'), { name: 'MongoNetworkError' }))
  }
  return {
    count: () => count,
    end: () => {
      collection.findOne = findOne
    },
  }
}
