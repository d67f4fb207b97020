import { createHash, randomBytes } from 'node:crypto'
import type { PageQuery } from '@carapace/api'
import type { Database } from '@carapace/store'

interface Invite {
  /** SHA-256 of the token: the token itself is shown once and never stored. */
  _id: string
  usesLeft: number
  expiresAt: Date
  createdBy: string
  /** Who holds one of its uses each: a request and the agent that it registers. Absent until the first, and in records from before it was stored. */
  applicants?: string[]
}

export type OpenInvite = Pick<Invite, 'usesLeft' | 'expiresAt' | 'createdBy'>

export interface Invites {
  /** `inv_` and 32 hex digits. */
  make(uses: number, expiresAt: Date, createdBy: string): Promise<string>
  /** Consumes one use for an applicant, once however often that is sent; false when the token is unknown, used up or expired. */
  use(token: string, applicant: string, now: Date): Promise<boolean>
  /** Returns the use of an applicant that was not registered. */
  returnUse(token: string, applicant: string): Promise<void>
  /** Those that still count, the first to expire first. */
  open(now: Date, page: PageQuery): Promise<{ items: OpenInvite[]; total: number }>
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

export function inviteStore(db: Database): Invites {
  const invites = db.collection<Invite>('invites', { expires: { key: { expiresAt: 1 } } })
  return {
    make: async (uses, expiresAt, createdBy) => {
      const token = `inv_${randomBytes(16).toString('hex')}`
      await invites.insertOne({ _id: hashOf(token), usesLeft: uses, expiresAt, createdBy })
      return token
    },
    use: async (token, applicant, now) => {
      const _id = hashOf(token)
      const used = await invites.updateOne(
        { _id, usesLeft: { $gt: 0 }, expiresAt: { $gt: now }, applicants: { $ne: applicant } },
        { $inc: { usesLeft: -1 }, $push: { applicants: applicant } },
      )
      return used.modifiedCount === 1 || (await invites.countDocuments({ _id, applicants: applicant })) === 1
    },
    returnUse: async (token, applicant) => {
      await invites.updateOne({ _id: hashOf(token), applicants: applicant }, { $inc: { usesLeft: 1 }, $pull: { applicants: applicant } })
    },
    open: async (now, { limit, offset }) => {
      const filter = { usesLeft: { $gt: 0 }, expiresAt: { $gt: now } }
      const [items, total] = await Promise.all([
        invites.find(filter).sort({ expiresAt: 1, _id: 1 }).skip(offset).limit(limit).toArray(),
        invites.countDocuments(filter),
      ])
      return { items, total }
    },
  }
}
