import { gzipSync } from 'node:zlib'
import type { Database } from '@carapace/store'
import { type Agent, agentsCollection } from '../agent.ts'

/** Entries of one list: the least that the standard permits, so that a request for it does not say whose credential is checked. */
export const listLength = 131_072

/** The entry of the credentials that are issued of an agent from now on. An entry that was revoked is never valid again. */
export const statusIndexOf = ({ statusIndex, cardTokenId }: Pick<Agent, 'statusIndex' | 'cardTokenId'>): number => statusIndex ?? cardTokenId

/** The agent acts again: what was issued before stays revoked, and credentials have a new entry. */
export const withNewEntry = (agent: Agent, statusIndex: number): Pick<Agent, 'statusIndex' | 'revokedIndices'> => ({
  statusIndex,
  revokedIndices: [...(agent.revokedIndices ?? []), statusIndexOf(agent)],
})

/** Reads the revoked entries of a list: of agents that are suspended or migrated, and those that were in use before such a time. */
export function revokedEntries(db: Database): (list: number) => Promise<number[]> {
  const agents = () => db.connection.collection<Pick<Agent, 'statusIndex' | 'cardTokenId' | 'revokedIndices' | 'status'>>(agentsCollection)
  const projection = { _id: 0, status: 1, statusIndex: 1, cardTokenId: 1, revokedIndices: 1 }
  return async list => {
    const [inactive, restored] = await Promise.all([
      agents()
        .find({ status: { $in: ['suspended', 'migrated'] } }, { projection })
        .toArray(),
      agents()
        .find({ revokedIndices: { $gte: 0 } }, { projection })
        .toArray(),
    ])
    const indices = [...inactive.map(statusIndexOf), ...[...inactive, ...restored].flatMap(({ revokedIndices = [] }) => revokedIndices)]
    return [...new Set(indices.map(Number))].filter(index => Math.floor(index / listLength) === list).sort((a, b) => a - b)
  }
}

/** A Bitstring Status List: entry 0 is the leftmost bit; gzip, base64url, the multibase prefix `u`. */
export function encodedList(revoked: readonly number[]): string {
  const bits = Buffer.alloc(listLength / 8)
  for (const index of revoked) {
    const at = index % listLength
    bits[at >> 3]! |= 0x80 >> (at & 7)
  }
  return `u${gzipSync(bits).toString('base64url')}`
}
