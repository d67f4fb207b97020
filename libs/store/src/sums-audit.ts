import { createHash } from 'node:crypto'
import type { ClientSession } from 'mongoose'
import type { Database } from './database.ts'
import { plus, type Share } from './share.ts'
import { longTransactionLimitMs } from './transaction.ts'

/** The stored figures of one collection as an audit reads them, all in one snapshot. */
export interface Audited {
  collection: string
  /** The stored figures by name; undefined when they have yet to be added up. */
  stored(session: ClientSession): Promise<ReadonlyMap<string, bigint> | undefined>
  /** How many documents name a member of a set, for every one of them. */
  members(session: ClientSession): AsyncIterable<{ set: string; member: string; documents: bigint }>
  /** What each document adds. */
  shares(session: ClientSession): AsyncIterable<Share>
}

const audits = new WeakMap<Database, Audited[]>()

/** A store says how its figures are audited, once for each collection. */
export function registerAudit(db: Database, audited: Audited): void {
  audits.set(db, [...(audits.get(db) ?? []), audited])
}

/** Whether any store of this process has figures. @example hasSums(db) && (await auditSums(db)) */
export const hasSums = (db: Database): boolean => audits.has(db)

/**
 * Compares the stored figures of all collections of this process (`shareOf`) with what their documents add up to: one line for each that is wrong.
 * Writes go on meanwhile: figures and documents of a collection are read in one transaction. Reads every document of them, one after the other.
 * @example for (const fault of await auditSums(db)) report(fault) // 'gigs: "open" is stored as 3 and adds up to 2'
 */
export async function auditSums(db: Database): Promise<string[]> {
  const faults: string[] = []
  for (const audited of audits.get(db) ?? []) faults.push(...(await db.transaction(session => faultsOf(audited, session), longTransactionLimitMs)))
  return faults
}

async function faultsOf({ collection, stored, members, shares }: Audited, session: ClientSession): Promise<string[]> {
  const actual = await stored(session)
  if (!actual) return []
  const expected = new Map<string, bigint>()
  // members may be too many to hold: how often each is named is compared by the sum of their hashes
  const named = { byDocuments: new Map<string, bigint>(), asStored: new Map<string, bigint>() }
  for await (const { sums = {}, sets = {} } of shares(session)) {
    for (const [name, value] of Object.entries(sums)) plus(expected, name, value)
    for (const [set, all] of Object.entries(sets)) for (const member of new Set(all)) plus(named.byDocuments, set, hashOf(member))
  }
  for await (const { set, member, documents } of members(session)) {
    plus(expected, set, 1n)
    plus(named.asStored, set, documents * hashOf(member))
  }
  const wrong = namesOf(actual, expected).filter(name => (actual.get(name) ?? 0n) !== (expected.get(name) ?? 0n))
  const strange = namesOf(named.byDocuments, named.asStored).filter(set => named.byDocuments.get(set) !== named.asStored.get(set))
  return [
    ...wrong.map(name => `${collection}: "${name}" is stored as ${actual.get(name) ?? 0n} and adds up to ${expected.get(name) ?? 0n}`),
    ...strange.map(set => `${collection}: the stored members of "${set}" are not those that documents name`),
  ]
}

const namesOf = (...maps: ReadonlyMap<string, bigint>[]): string[] => [...new Set(maps.flatMap(map => [...map.keys()]))]
/** 64 bits: that two lists of other members have the same sum by chance is not to be feared. */
const hashOf = (member: string): bigint => createHash('sha256').update(member).digest().readBigUInt64BE()
