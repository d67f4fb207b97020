import type { Lane } from '../lane/lane.ts'

const perPass = 500

/** Forgets the signed bytes of transactions that have long been final; hashes and outcomes stay. */
export async function trim(lane: Lane): Promise<void> {
  const before = Date.now() - lane.timings.trimAfterMs
  const old = await lane.db.txs
    .find({ lane: lane.id, state: 'FINAL', nonce: { $ne: null }, signedAt: { $lt: before }, 'attempts.0.raw': { $ne: null } })
    .limit(perPass)
    .toArray()
  if (old.length === 0) return
  await lane.db.txs.bulkWrite(
    old.map(({ _id, attempts }) => ({
      updateOne: { filter: { _id, state: 'FINAL' }, update: { $set: { attempts: attempts.map(attempt => ({ ...attempt, raw: null })) } } },
    })),
    { ordered: false },
  )
}
