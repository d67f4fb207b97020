import { createHash } from 'node:crypto'
import type { ClientSession } from 'mongoose'
import type { Database } from './database.ts'
import type { Share } from './sums.ts'

/** Kept figures of one collection as an audit looks at them, all in one snapshot. */
export interface Audited {
  collection: string
  /** The kept figures by name; undefined when they have yet to be added up. */
  kept(session: ClientSession): Promise<ReadonlyMap<string, bigint> | undefined>
  /** How many documents name a member of a set, for every one of them. */
  members(session: ClientSession): AsyncIterable<{ set: string; member: string; documents: bigint }>
  /** What each document adds. */
  shares(session: ClientSession): AsyncIterable<Share>
}

const audits = new WeakMap<Database, Audited[]>()

export function toBeAudited(db: Database, audited: Audited): void {
  audits.set(db, [...(audits.get(db) ?? []), audited])
}

/** Whether any store of this process keeps figures. */
export const keepsSums = (db: Database): boolean => audits.has(db)

/**
 * Compares the kept figures of all collections of this process (`shareOf`) with what their documents add up to: one line for each that is wrong.
 * Writes go on meanwhile: figures and documents of a collection are read in one transaction. Reads every document of them, one after the other.
 */
export async function auditSums(db: Database): Promise<string[]> {
  const faults: string[] = []
  for (const audited of audits.get(db) ?? []) faults.push(...(await db.transaction(session => faultsOf(audited, session))))
  return faults
}

async function faultsOf({ collection, kept, members, shares }: Audited, session: ClientSession): Promise<string[]> {
  const is = await kept(session)
  if (!is) return []
  const should = new Map<string, bigint>()
  // members may be many: how often each is named is compared by the sum of their prints
  const named = { by: new Map<string, bigint>(), kept: new Map<string, bigint>() }
  for await (const { sums = {}, sets = {} } of shares(session)) {
    for (const [name, value] of Object.entries(sums)) plus(should, name, value)
    for (const [set, all] of Object.entries(sets)) for (const member of new Set(all)) plus(named.by, set, print(member))
  }
  for await (const { set, member, documents } of members(session)) {
    plus(should, set, 1n)
    plus(named.kept, set, documents * print(member))
  }
  const wrong = namesOf(is, should).filter(name => (is.get(name) ?? 0n) !== (should.get(name) ?? 0n))
  const strange = namesOf(named.by, named.kept).filter(set => named.by.get(set) !== named.kept.get(set))
  return [
    ...wrong.map(name => `${collection}: "${name}" is kept as ${is.get(name) ?? 0n} and adds up to ${should.get(name) ?? 0n}`),
    ...strange.map(set => `${collection}: the kept members of "${set}" are not those that documents name`),
  ]
}

const namesOf = (...maps: ReadonlyMap<string, bigint>[]): string[] => [...new Set(maps.flatMap(map => [...map.keys()]))]
const plus = (totals: Map<string, bigint>, name: string, by: bigint) => totals.set(name, (totals.get(name) ?? 0n) + by)
/** Far fewer than 2^64 members meet by chance. */
const print = (member: string): bigint => createHash('sha256').update(member).digest().readBigUInt64BE()
