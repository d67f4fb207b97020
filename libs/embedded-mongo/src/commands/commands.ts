import type { Command } from '../engine/context.ts'
import { aggregate } from './aggregate.ts'
import { bulkWrite } from './bulk-write.ts'
import { collMod, create, drop, dropDatabase, listCollections, listDatabases, renameCollection } from './collections.ts'
import { count, distinct } from './count.ts'
import { collStats, dbStats, validate } from './diagnose.ts'
import { explain } from './explain.ts'
import { filemd5 } from './filemd5.ts'
import { find, getMore, killCursors } from './find.ts'
import { findAndModify } from './find-and-modify.ts'
import { createIndexes, dropIndexes, listIndexes } from './indexes.ts'
import { currentOp, fsync } from './operations.ts'
import {
  buildInfo,
  connectionStatus,
  failPoint,
  getParameter,
  hello,
  ping,
  profile,
  refusal,
  refusals,
  replSetGetStatus,
  serverStatus,
  setParameter,
  whatsmyuri,
} from './server.ts'
import { abortTransaction, commitTransaction, endSessions, killAllSessions, killSessions, refreshSessions } from './transaction.ts'
import { changeUser, dropAllUsersFromDatabase, rolesInfo, usersInfo } from './users.ts'
import { insert, remove, update } from './write.ts'

/** Every command that the server answers, by the name that the client sends. */
export const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['hello', hello],
  ['ismaster', hello],
  ['isMaster', hello],
  ['ping', ping],
  ['buildInfo', buildInfo],
  ['buildinfo', buildInfo],
  ['serverStatus', serverStatus],
  ['getParameter', getParameter],
  ['setParameter', setParameter],
  ['connectionStatus', connectionStatus],
  ['whatsmyuri', whatsmyuri],
  ['replSetGetStatus', replSetGetStatus],
  ['profile', profile],
  ['insert', insert],
  ['update', update],
  ['delete', remove],
  ['bulkWrite', bulkWrite],
  ['findAndModify', findAndModify],
  ['findandmodify', findAndModify],
  ['find', find],
  ['getMore', getMore],
  ['killCursors', killCursors],
  ['aggregate', aggregate],
  ['count', count],
  ['distinct', distinct],
  ['explain', explain],
  ['create', create],
  ['drop', drop],
  ['dropDatabase', dropDatabase],
  ['renameCollection', renameCollection],
  ['collMod', collMod],
  ['listCollections', listCollections],
  ['listDatabases', listDatabases],
  ['createIndexes', createIndexes],
  ['dropIndexes', dropIndexes],
  ['listIndexes', listIndexes],
  ['collStats', collStats],
  ['collstats', collStats],
  ['dbStats', dbStats],
  ['dbstats', dbStats],
  ['validate', validate],
  ['commitTransaction', commitTransaction],
  ['abortTransaction', abortTransaction],
  ['endSessions', endSessions],
  ['killSessions', killSessions],
  ['killAllSessions', killAllSessions],
  ['killAllSessionsByPattern', killAllSessions],
  ['refreshSessions', refreshSessions],
  ['configureFailPoint', failPoint],
  ['currentOp', currentOp],
  ['fsync', fsync],
  ['filemd5', filemd5],
  ['usersInfo', usersInfo],
  ['rolesInfo', rolesInfo],
  ['updateUser', changeUser],
  ['dropUser', changeUser],
  ['dropAllUsersFromDatabase', dropAllUsersFromDatabase],
  ...Object.keys(refusals).map((name): [string, Command] => [name, refusal(name)]),
])
