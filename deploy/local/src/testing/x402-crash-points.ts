import { ServerResponse } from 'node:http'
import { contextHeader } from '@carapace/service'
import mongoose from 'mongoose'
import { processVariables } from '../config.ts'
import { installCrashPoints, type Steps } from './crash-points.ts'

/** The steps of a payment for a sold read between which a crash differs from every other. */
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

/** The same of what a payment for a budget adds, in treasury and in escrow. */
export const budgetCrashPoints = [
  'before its lock is reserved',
  'after its lock is reserved',
  'before it is set aside',
  'after it is set aside',
  'before its lock is ordered',
  'after its lock is ordered',
  'before it is locked',
  'after it is locked',
  'before it is spent',
  'after it is spent',
] as const

/** The same of what a payment for a name adds, in domains. */
export const nameCrashPoints = [
  'before its name is reserved',
  'after its name is reserved',
  'before its mint is ordered',
  'after its mint is ordered',
  'before its name is registered',
  'after its name is registered',
] as const
export type CrashPoint = (typeof crashPoints)[number] | (typeof budgetCrashPoints)[number] | (typeof nameCrashPoints)[number]

const settled = ['before its settlement is committed', 'after it was settled'] as const
const steps: Steps<CrashPoint> = {
  x402_payments: [
    { by: 'insertOne', is: ({ state }) => state === 'claimed', points: ['before the claim', 'after the claim'] },
    // a transfer is settled when it is recorded
    { by: 'insertOne', is: ({ state }) => state === 'settled', points: settled },
    { by: 'updateOne', is: ({ state }) => state === 'settled', points: settled },
    { by: 'updateOne', is: ({ state }) => state === 'served', points: [undefined, 'after it was noted as served'] },
    { by: 'updateOne', is: ({ state }) => state === 'held', points: ['before it is set aside', 'after it is set aside'] },
    { by: 'updateOne', is: ({ state }) => state === 'spent', points: ['before it is spent', 'after it is spent'] },
  ],
  escrows: [
    { by: 'updateOne', is: ({ status }) => status === 'funding', points: ['before its lock is reserved', 'after its lock is reserved'] },
    { by: 'updateOne', is: ({ lock }) => lock?.stage === 'sent', points: ['before its lock is ordered', 'after its lock is ordered'] },
    { by: 'updateOne', is: ({ status }) => status === 'locked', points: ['before it is locked', 'after it is locked'] },
  ],
  domains: [
    { by: 'insertOne', is: ({ status }) => status === 'funding', points: ['before its name is reserved', 'after its name is reserved'] },
    { by: 'updateOne', is: ({ status }) => status === 'minting', points: ['before its mint is ordered', 'after its mint is ordered'] },
    { by: 'updateOne', is: ({ status }) => status === 'active', points: ['before its name is registered', 'after its name is registered'] },
  ],
}

/** Names the file that holds the point at which a process ends itself, once. */
export const pointFileVariable = 'X402_CRASH_POINT_FILE'

// Loaded by `--import` into processes as they are: writes to the database and answers to buyers are what the steps are known by.
const file = processVariables[pointFileVariable]
if (file !== undefined) install(file)

function install(pointFile: string): void {
  const at = installCrashPoints(pointFile, steps)
  const { Collection } = mongoose.mongo
  const { updateMany, updateOne, insertMany } = Collection.prototype
  // the outbox of a process that owns its database is emptied seconds later: there the order is known by the operation that the relayer makes of it
  Collection.prototype.insertMany = async function (...given) {
    const inserted = await insertMany.apply(this, given)
    const [operations] = given as unknown as [readonly { kind?: string }[]]
    const isOwner = mongoose.connections.some(({ name }) => name?.endsWith('carapace_treasury'))
    if (isOwner && operations.some(({ kind }) => kind === 'treasury.settle-x402')) at('after the order of its settlement was sent')
    return inserted
  }
  Collection.prototype.updateMany = function (...given) {
    const [, update] = given as unknown as [unknown, { $set?: { outbox?: unknown[] } }]
    if (this.collectionName === 'x402_payments' && update.$set?.outbox?.length === 0) at('after the order of its settlement was sent')
    return updateMany.apply(this, given)
  }
  // an outcome that comes before that write settles the payment and empties its outbox in one
  Collection.prototype.updateOne = async function (...given) {
    const [, update] = given as unknown as [unknown, { $set?: { state?: string } }]
    if (this.collectionName === 'x402_payments' && update.$set?.state === 'settled') at('after the order of its settlement was sent')
    return updateOne.apply(this, given)
  }
  const { writeHead } = ServerResponse.prototype
  ServerResponse.prototype.writeHead = function (this: ServerResponse, ...given: unknown[]) {
    const { headers } = this.req
    const isPaid = headers['payment-signature'] !== undefined || headers['x-payment'] !== undefined
    // services answer the gateway alone
    if (given[0] === 200 && isPaid && headers[contextHeader] === undefined) {
      at('before its answer')
      this.once('finish', () => at('after its answer'))
    }
    return (writeHead as (...all: unknown[]) => ServerResponse).apply(this, given)
  } as typeof writeHead
}
