import type { AdminCaller } from '@carapace/api'
import type { Database } from '@carapace/store'

/** One call of the oracle or an admin that may change something. Kept for ever. */
export interface AdminCall {
  /** The request's id. */
  _id: string
  at: Date
  wallet: string
  kind: AdminCaller['kind']
  method: string
  path: string
  /** As the body gives it. */
  reason: string | null
  /** Null until it is answered, and for ever when the gateway ended before. */
  status: number | null
}

export interface AdminLog {
  /** Written before the call goes on: nothing is done that is not in the log. @throws when it cannot be written */
  begin(call: Omit<AdminCall, 'at' | 'reason' | 'status'>, body: Buffer | undefined): Promise<void>
  end(requestId: string, status: number): Promise<void>
}

export async function openAdminLog(db: Database): Promise<AdminLog> {
  const calls = db.connection.collection<AdminCall>('admin_calls')
  await calls.createIndexes([
    { key: { at: -1 }, name: 'newest' },
    { key: { wallet: 1, at: -1 }, name: 'wallet_newest' },
  ])
  return {
    begin: async (call, body) => {
      await calls.insertOne({ ...call, at: new Date(), reason: reasonIn(body), status: null })
    },
    end: async (requestId, status) => {
      await calls.updateOne({ _id: requestId }, { $set: { status } })
    },
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
