import { existsSync, readFileSync, rmSync } from 'node:fs'
import { ServerResponse } from 'node:http'
import mongoose from 'mongoose'
import { processVariables } from '../config.ts'

/** The steps of a payment between which a crash differs from every other. */
export const crashPoints = [
  'before the claim',
  'after the claim',
  'after the order of its settlement was sent',
  'before its settlement is committed',
  'after it was settled',
  'before its answer',
  'after its answer',
  'after it was noted as served',
] as const
export type CrashPoint = (typeof crashPoints)[number]

/** Names the file that holds the point at which the process ends itself, once. */
export const pointFileVariable = 'X402_CRASH_POINT_FILE'

// Loaded by `--import` into a start as it is: writes of payments and answers to buyers are what its steps are known by.
const file = processVariables[pointFileVariable]
if (file !== undefined) install(file)

function install(pointFile: string): void {
  const at = (point: CrashPoint) => {
    if (!existsSync(pointFile) || readFileSync(pointFile, 'utf8') !== point) return
    rmSync(pointFile)
    process.kill(process.pid, 'SIGKILL')
  }
  const { Collection, ClientSession } = mongoose.mongo
  const settling = new WeakSet<object>()
  const { insertOne, updateOne, updateMany } = Collection.prototype
  const isPayments = ({ collectionName }: { collectionName: string }) => collectionName === 'x402_payments'

  Collection.prototype.insertOne = async function (...given) {
    if (!isPayments(this)) return insertOne.apply(this, given)
    at('before the claim')
    const inserted = await insertOne.apply(this, given)
    at('after the claim')
    return inserted
  }
  Collection.prototype.updateMany = function (...given) {
    const [, update] = given as unknown as [unknown, { $set?: { outbox?: unknown[] } }]
    if (isPayments(this) && update.$set?.outbox?.length === 0) at('after the order of its settlement was sent')
    return updateMany.apply(this, given)
  }
  Collection.prototype.updateOne = async function (...given) {
    const [, update, options] = given as unknown as [unknown, { $set?: { state?: string } }, { session?: object } | undefined]
    const state = isPayments(this) ? update.$set?.state : undefined
    const updated = await updateOne.apply(this, given)
    if (state === 'settled' && options?.session) settling.add(options.session)
    if (state === 'served') at('after it was noted as served')
    return updated
  }
  const { commitTransaction } = ClientSession.prototype
  ClientSession.prototype.commitTransaction = async function (...given) {
    const isSettlement = settling.has(this)
    if (isSettlement) at('before its settlement is committed')
    const committed = await commitTransaction.apply(this, given)
    if (isSettlement) at('after it was settled')
    return committed
  }
  const { writeHead } = ServerResponse.prototype
  ServerResponse.prototype.writeHead = function (this: ServerResponse, ...given: unknown[]) {
    if (given[0] === 200 && JSON.stringify(given.slice(1)).includes('payment-response')) {
      at('before its answer')
      this.once('finish', () => at('after its answer'))
    }
    return (writeHead as (...all: unknown[]) => ServerResponse).apply(this, given)
  } as typeof writeHead
}
