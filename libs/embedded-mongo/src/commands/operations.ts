import type { Command } from '../engine/context.ts'
import { operations } from '../engine/operations.ts'
import { compileFilter } from '../query/match.ts'
import { fail } from '../values/errors.ts'
import { isTruthy } from '../values/values.ts'
import { okReply } from '../wire/reply.ts'

/** Options of `currentOp` that choose whose operations are meant; there is one user. What else it carries is a filter. */
const choices = new Set(['currentOp', '$ownOps', '$all', '$truncateOps', '$db', 'lsid', '$clusterTime', '$readPreference', 'comment'])

export const currentOp: Command = {
  run: context => {
    if (context.db !== 'admin') return fail(13, 'currentOp may only be run against the admin database.')
    const filter = Object.fromEntries(Object.entries(context.body).filter(([field]) => !choices.has(field)))
    return okReply({ inprog: operations(context).filter(compileFilter(filter)) })
  },
  fields: undefined,
}

/** Every write is on disk before it is answered, so there is no work here. */
export const fsync: Command = {
  run: ({ body }) => {
    if (isTruthy(body.lock)) return fail(115, 'fsync with lock is not supported by this server')
    return okReply({ numFiles: 1 })
  },
  fields: new Set(['async', 'lock', 'fsyncLockAcquisitionTimeoutMillis']),
}
