import type { Context } from '../engine/context.ts'
import { fail } from '../values/errors.ts'
import { isDoc } from '../values/values.ts'

/** The commands of MongoDB's stable API version 1. Clients with `apiStrict` are refused everything else. */
const commands = new Set([
  'abortTransaction',
  'aggregate',
  'authenticate',
  'bulkWrite',
  'collMod',
  'commitTransaction',
  'count',
  'create',
  'createIndexes',
  'createSearchIndexes',
  'delete',
  'drop',
  'dropDatabase',
  'dropIndexes',
  'dropSearchIndex',
  'endSessions',
  'explain',
  'find',
  'findAndModify',
  'getMore',
  'hello',
  'insert',
  'killCursors',
  'listCollections',
  'listDatabases',
  'listIndexes',
  'ping',
  'refreshSessions',
  'update',
  'updateSearchIndex',
])
const otherStages = new Set(['$currentOp', '$indexStats', '$listLocalSessions', '$listSessions', '$planCacheStats', '$search'])

/** Refuses with 322 a version that is not known, and with 323 what is not in it to a client that wants nothing else. */
export function checkApi({ body, name }: Context): void {
  if (body.apiVersion === undefined) {
    if (body.apiStrict !== undefined || body.apiDeprecationErrors !== undefined)
      fail(322, 'Provided apiStrict and/or apiDeprecationErrors without passing apiVersion')
    return
  }
  if (body.apiVersion !== '1') fail(322, 'API version must be "1"')
  if (body.apiStrict !== true) return
  if (!commands.has(name))
    fail(
      323,
      `Provided apiStrict:true, but the command ${name} is not in API Version 1. Information on supported commands and migrations in API Version 1 can be found at https://dochub.mongodb.org/core/manual-versioned-api`,
    )
  const stages = Array.isArray(body.pipeline) ? body.pipeline : []
  for (const stage of stages) {
    const [operator = ''] = isDoc(stage) ? Object.keys(stage) : []
    if (otherStages.has(operator)) fail(323, `stage ${operator} is not allowed with 'apiStrict: true' in API Version 1`)
  }
}
