import { createHash } from 'node:crypto'
import type { Extension, PageQuery } from '@carapace/api'
import { type OnChain, sentOnChain } from '@carapace/chain'
import { recordIdOf } from '@carapace/service'
import { type AggregateStore, aggregateStore, type Database, type Indexes, type Ledger, type Page, type Stored } from '@carapace/store'
import { type Domain, isOwned, type Operation } from './domain.ts'
import { salePostings } from './postings.ts'
import { freeNamesPerExtension } from './price.ts'
import { holdsFreeSlot, vacate } from './reservation.ts'

export const domainsCollection = 'domains'

const newest = { registeredAt: -1, _id: -1 } as const
const indexes: Indexes = {
  full_domain: { key: { fullDomain: 1 }, unique: true },
  link_keys: { key: { linkKeys: 1 }, unique: true, partialFilterExpression: { linkKeys: { $exists: true } } },
  free_slot: { key: { freeSlot: 1 }, unique: true, partialFilterExpression: { freeSlot: { $exists: true } } },
  token: { key: { tokenId: 1 } },
  operation: { key: { 'operations.operationId': 1 } },
  listed_newest: { key: { listed: 1, ...newest } },
  tld_newest: { key: { listed: 1, tld: 1, ...newest } },
  wallet_newest: { key: { listed: 1, ownerWallet: 1, ...newest } },
  agent_newest: { key: { listed: 1, agentId: 1, ...newest } },
  parts_newest: { key: { listed: 1, parts: 1, ...newest } },
  parts_tld_newest: { key: { listed: 1, tld: 1, parts: 1, ...newest } },
  status_due: { key: { status: 1, dueAt: 1 } },
}

/** An operation is under way; the second form is that of names which were stored before `onChain` was one field. */
export const isUnderWay = { $or: [{ 'operations.onChain.status': 'pending' }, { 'operations.status': 'pending' }] }

export type DomainStore = AggregateStore<Domain> & {
  byName(fullDomain: string): Promise<Stored<Domain> | undefined>
  ofToken(tokenId: string): Promise<Stored<Domain> | undefined>
  /** The name of a request that was made before. */
  ofOperation(operationId: string): Promise<Stored<Domain> | undefined>
  /** The .molt name that an agent goes by, or has reserved. */
  moltOf(agentId: string): Promise<Stored<Domain> | undefined>
  /** A place for this name, if it is to be free by score; undefined when the agent has used all of this extension. */
  vacantFreeSlot(agentId: string, wanted: { name: string; tld: Extension }, now: Date): Promise<string | undefined>
  /** The name that has a place. */
  holderOf(freeSlot: string): Promise<Stored<Domain> | undefined>
  /** Names that contain a text, newest first. */
  search(part: string, tld: Extension | undefined, page: PageQuery): Promise<Page<Stored<Domain>>>
  listed(filter: Record<string, unknown>, page: PageQuery): Promise<Page<Stored<Domain>>>
}

/** The id of a name's record: it is part of the number that the contract accepts once, so a payer can know it before the record exists. */
export const domainIdOf = (fullDomain: string): string => recordIdOf(createHash('sha256').update(fullDomain).digest('hex'))

/** What indexes read of a name: an empty list would be an entry of its own in a unique index. */
function derive(domain: Domain): Domain {
  const { linkKeys: _, ...rest } = domain
  return { ...rest, listed: isOwned(domain), ...(domain.linkedAgents.length > 0 ? { linkKeys: domain.linkedAgents } : {}) }
}

export function domainStore(db: Database, ledger: Ledger): DomainStore {
  const domains = aggregateStore<Domain>(db, {
    collection: domainsCollection,
    resource: 'domain',
    indexes,
    duplicates: { _id_: 'NAME_TAKEN', full_domain: 'NAME_TAKEN', link_keys: 'ALREADY_EXISTS', free_slot: 'CONFLICT' },
    derive,
    upgrade: upgradeDomain,
    ledger,
    postings: salePostings,
  })
  const one = async (filter: Record<string, unknown>) => (await domains.find(filter, { sort: { _id: 1 }, limit: 1 }))[0]
  return {
    ...domains,
    byName: fullDomain => one({ fullDomain }),
    ofToken: tokenId => one({ tokenId }),
    ofOperation: operationId => one({ 'operations.operationId': operationId }),
    moltOf: agentId => one({ linkKeys: agentId }),
    holderOf: freeSlot => one({ freeSlot }),
    vacantFreeSlot: async (agentId, { name, tld }, now) => {
      const slots = Array.from({ length: freeNamesPerExtension }, (_, place) => `${agentId}/${tld}/${place}`)
      const holders = await domains.find({ freeSlot: { $in: slots } }, { limit: freeNamesPerExtension })
      const own = holders.find(({ fullDomain }) => fullDomain === `${name}${tld}`)
      if (own) return own.freeSlot
      const vacant = slots.find(slot => holders.every(({ freeSlot }) => freeSlot !== slot))
      if (vacant !== undefined) return vacant
      const late = holders.find(holder => !holdsFreeSlot(holder, now))
      if (!late) return undefined
      const { freeSlot } = await domains.change(late.id, present => vacate(present, late.freeSlot!, now))
      return freeSlot === undefined ? late.freeSlot : undefined
    },
    search: (part, tld, page) =>
      domains.page({ listed: true, ...(tld ? { tld } : {}), ...(part === '' ? {} : { parts: part.toLowerCase() }) }, page, newest),
    listed: (filter, page) => domains.page({ listed: true, ...filter }, page, newest),
  }
}

/** Before `onChain` was one field, what was known of its command was part of an operation. */
type OldOperation = Omit<Operation, 'onChain'> & Partial<Omit<OnChain, 'status'>> & { status?: OnChain['status'] | 'none' }

/** A stored name in the present form. */
export function upgradeDomain<D extends Domain>(domain: D): D {
  const isOld = domain.operations.some(({ onChain }) => onChain === undefined)
  return isOld ? { ...domain, operations: domain.operations.map(upgradeOperation) } : domain
}

function upgradeOperation(operation: Operation): Operation {
  if (operation.onChain !== undefined) return operation
  const { round = 0, seq = 0, status = 'none', txHash = null, blockNumber = null, error = null, ...rest } = operation as OldOperation
  return { ...rest, onChain: status === 'none' ? null : { ...sentOnChain, status, txHash, blockNumber, error, round, seq } }
}
