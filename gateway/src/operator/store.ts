import { createHash, randomBytes } from 'node:crypto'
import { type Database, openCollection } from '@carapace/store'

export interface OperatorStore {
  /** A secret that counts once, within its time. */
  issue(kind: OneTimeKind): Promise<string>
  /** Whether it was issued and had not been used; it counts no more. */
  use(kind: OneTimeKind, secret: string): Promise<boolean>
  /** Begins a session. Resolves to the token that the cookie holds; only its hash is stored. */
  begin(wallet: string): Promise<string>
  /** The wallet of a session that is not over, and was not idle for too long; it is not idle now. */
  walletOf(token: string): Promise<string | undefined>
  end(token: string): Promise<void>
}

/** `nonce`: of a sign-in message. `link`: of the sign-in link that the start prints. */
type OneTimeKind = 'nonce' | 'link'

const lifetimeMs: Readonly<Record<OneTimeKind, number>> = { nonce: 5 * 60_000, link: 60 * 60_000 }
export const idleMs = 30 * 60_000

/** Shared by all gateway replicas. @param now wall clock, Unix ms */
export async function operatorStore(db: Database, now: () => number = Date.now): Promise<OperatorStore> {
  const indexes = { expire: { key: { expireAt: 1 }, expireAfterSeconds: 0 } } as const
  const secrets = await openCollection<{ _id: string; expireAt: Date }>(db, 'operator_secrets', indexes)
  const sessions = await openCollection<{ _id: string; wallet: string; expireAt: Date }>(db, 'operator_sessions', indexes)
  // the database removes what is expired late
  const current = () => ({ $gt: new Date(now()) })
  return {
    issue: async kind => {
      const secret = randomBytes(16).toString('hex')
      await secrets.insertOne({ _id: keyOf(kind, secret), expireAt: new Date(now() + lifetimeMs[kind]) })
      return secret
    },
    use: async (kind, secret) => (await secrets.deleteOne({ _id: keyOf(kind, secret), expireAt: current() })).deletedCount === 1,
    begin: async wallet => {
      const token = randomBytes(32).toString('hex')
      await sessions.insertOne({ _id: keyOf('session', token), wallet, expireAt: new Date(now() + idleMs) })
      return token
    },
    walletOf: async token => {
      const filter = { _id: keyOf('session', token), expireAt: current() }
      const session = await sessions.findOneAndUpdate(filter, { $set: { expireAt: new Date(now() + idleMs) } })
      return session?.wallet
    },
    end: async token => {
      await sessions.deleteOne({ _id: keyOf('session', token) })
    },
  }
}

const keyOf = (kind: string, secret: string): string => `${kind} ${createHash('sha256').update(secret).digest('hex')}`
