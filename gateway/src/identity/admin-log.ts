import type { AdminCaller } from '@carapace/api'
import { type Database, openCollection } from '@carapace/store'

/** One call of the oracle or an admin that may change something. Stored for ever. */
export interface AdminCall {
  _id: string
  /** As the caller chose it, or ours: not unique. */
  requestId: string
  at: Date
  wallet: string
  kind: AdminCaller['kind']
  method: string
  /** With its query. */
  path: string
  /** As the body gives it. */
  reason: string | null
  /** Null until it is answered, and for ever when the gateway ended before. */
  status: number | null
}

export interface AdminLog {
  /** Written before the call goes on: nothing is done that is not in the log. Answers the id of the entry. @throws when it cannot be written */
  begin(call: Omit<AdminCall, '_id' | 'at' | 'reason' | 'status'>, body: Buffer | undefined): Promise<string>
  end(id: string, status: number): Promise<void>
  /** The newest entries first. */
  newest(limit: number): Promise<AdminCall[]>
}

export async function openAdminLog(db: Database): Promise<AdminLog> {
  const indexes = { newest: { key: { at: -1 } }, wallet_newest: { key: { wallet: 1, at: -1 } } } as const
  const calls = await openCollection<AdminCall>(db, 'admin_calls', indexes)
  return {
    begin: async (call, body) => {
      const _id = db.newId()
      await calls.insertOne({ _id, ...call, at: new Date(), reason: reasonIn(body), status: null })
      return _id
    },
    end: async (id, status) => {
      await calls.updateOne({ _id: id }, { $set: { status } })
    },
    newest: limit => calls.find({}).sort({ at: -1 }).limit(limit).toArray(),
  }
}

const longest = 1_000

/** The service judges the body; here only a reason that can be read is of interest. */
function reasonIn(body: Buffer | undefined): string | null {
  if (!body) return null
  try {
    const { reason } = JSON.parse(body.toString()) as { reason?: unknown }
    return typeof reason === 'string' ? reason.slice(0, longest) : null
  } catch {
    return null
  }
}
