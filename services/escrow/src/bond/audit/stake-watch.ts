import { maxChainReads } from '@carapace/api'
import { type CheckedRecords, checkedRecords, type Platform } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { BondStore } from '../bond.store.ts'
import type { Bond } from '../bond.ts'

/** Bonds of one run next to those that have changed lately; so many at most are in a page. */
const perPage = maxChainReads
/** What an owner withdraws itself is final on chain before it is followed here; what has to wait for that is tried again each minute. */
const followedWithinMs = 2 * 60_000
/** So many bonds are watched: where a whole network is wrong, more of them say no more. */
const maxWatched = perPage

export interface StakeWatch extends Pick<CheckedRecords<Bond>, 'pages'> {
  /**
   * Notes how much the contract of a bond lacks of what it counts, micro-USDC; 0 or less where nothing is missing, or that is unknown.
   * @returns whether as much has been missing of this very version for as long as what its owner did may have to wait here
   */
  noteMissing(bond: Stored<Bond>, missing: bigint): boolean
}

/** Which bonds the next run compares with their contracts, and what earlier runs found. */
export function stakeWatch({ clock }: Pick<Platform, 'clock'>, bonds: BondStore): StakeWatch {
  const records = checkedRecords(bonds, clock, { pageSize: perPage })
  const found = new Map<string, { state: string; since: number }>()
  return {
    pages: records.pages,
    noteMissing: ({ id, version }, missing) => {
      const before = found.get(id)
      const isWatched = missing > 0n && (before !== undefined || found.size < maxWatched)
      records.note(id, isWatched)
      if (!isWatched) {
        found.delete(id)
        return false
      }
      const [state, now] = [`${version}/${missing}`, clock.now().getTime()]
      const since = before?.state === state ? before.since : now
      found.set(id, { state, since })
      return now - since >= followedWithinMs
    },
  }
}
