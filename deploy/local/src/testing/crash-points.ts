import { existsSync, readFileSync, rmSync } from 'node:fs'
import mongoose from 'mongoose'

/** A write by which a step is known. In a transaction its points lie around the commit. */
interface Step<Point extends string> {
  by: 'insertOne' | 'updateOne'
  /** Of what the write sets. */
  is(fields: Written): boolean
  points: readonly [before: Point | undefined, after: Point]
}
interface Written {
  state?: string
  status?: string
  lock?: { stage?: string }
  funding?: { stage?: string } | null
  fundingFailure?: object | null
}
/** By collection. */
export type Steps<Point extends string> = Readonly<Record<string, readonly Step<Point>[]>>

/**
 * Has this process end itself, once, at the point whose name is in the file: around the writes of the steps.
 * @returns what other places call that are a point, too
 */
export function installCrashPoints<Point extends string>(pointFile: string, steps: Steps<Point>): (point: Point | undefined) => void {
  const at = (point: Point | undefined) => {
    if (point === undefined || !existsSync(pointFile) || readFileSync(pointFile, 'utf8') !== point) return
    rmSync(pointFile)
    process.kill(process.pid, 'SIGKILL')
  }
  const { Collection, ClientSession } = mongoose.mongo
  const committing = new WeakMap<object, Step<Point>['points']>()
  const { insertOne, updateOne } = Collection.prototype

  const around = async <T>(
    collection: string,
    by: Step<Point>['by'],
    fields: object | undefined,
    session: object | undefined,
    write: () => Promise<T>,
  ) => {
    const step = fields && steps[collection]?.find(each => each.by === by && each.is(fields))
    if (!step) return write()
    if (!session) at(step.points[0])
    const written = await write()
    if (session) committing.set(session, step.points)
    else at(step.points[1])
    return written
  }
  Collection.prototype.insertOne = function (...given) {
    const [document, options] = given as unknown as [object, { session?: object } | undefined]
    return around(this.collectionName, 'insertOne', document, options?.session, () => insertOne.apply(this, given))
  }
  Collection.prototype.updateOne = function (...given) {
    const [, update, options] = given as unknown as [unknown, { $set?: object }, { session?: object } | undefined]
    return around(this.collectionName, 'updateOne', update.$set, options?.session, () => updateOne.apply(this, given))
  }
  const { commitTransaction } = ClientSession.prototype
  ClientSession.prototype.commitTransaction = async function (...given) {
    const points = committing.get(this)
    committing.delete(this)
    at(points?.[0])
    const committed = await commitTransaction.apply(this, given)
    at(points?.[1])
    return committed
  }
  return at
}
