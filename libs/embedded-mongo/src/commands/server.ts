import { hostname } from 'node:os'
import { Double, Long, ObjectId } from 'bson'
import { maxDocumentBytes } from '../bson/raw.ts'
import { timestampOf } from '../change-streams/operation-clock.ts'
import type { Command, Context } from '../engine/context.ts'
import { appNameIn, configureFailPoint } from '../engine/fail-points.ts'
import { fail } from '../values/errors.ts'
import { asNumber, type Doc, isNumeric } from '../values/values.ts'
import { maxMessageBytes } from '../wire/message.ts'
import { okReply } from '../wire/reply.ts'

/** What the engine passes for: the newest server whose wire protocol it speaks in full. */
export const serverVersion = '8.0.4'
const wireVersion = 25
const electionId = new ObjectId('7fffffff0000000000000001')

export const hello: Command = {
  run: context => {
    const { connection, body } = context
    connection.appName ??= appNameIn(body)
    return okReply({
      helloOk: true,
      ...(context.name === 'hello' ? { isWritablePrimary: true } : { ismaster: true }),
      setName: 'rs0',
      setVersion: 1,
      hosts: [connection.address],
      me: connection.address,
      primary: connection.address,
      electionId,
      secondary: false,
      maxBsonObjectSize: maxDocumentBytes,
      maxMessageSizeBytes: maxMessageBytes,
      maxWriteBatchSize: 100_000,
      localTime: context.now,
      logicalSessionTimeoutMinutes: 30,
      connectionId: connection.id,
      minWireVersion: 0,
      maxWireVersion: wireVersion,
      readOnly: false,
      lastWrite: lastWrite(context),
    })
  },
  fields: undefined,
}

/** On one member every write is that of a majority. */
function lastWrite({ engine }: Context): Doc {
  const time = engine.log.time()
  const opTime = { ts: timestampOf(time), t: Long.ONE }
  const date = new Date(time.seconds * 1000)
  return { opTime, lastWriteDate: date, majorityOpTime: opTime, majorityWriteDate: date }
}

export const ping: Command = { run: () => okReply(), fields: new Set([]) }

export const buildInfo: Command = {
  run: () =>
    okReply({
      version: serverVersion,
      gitVersion: 'carapace embedded engine',
      modules: [],
      versionArray: [...serverVersion.split('.').map(Number), 0],
      bits: 64,
      debug: false,
      maxBsonObjectSize: maxDocumentBytes,
      storageEngines: ['lmdb'],
    }),
  fields: undefined,
}

export const serverStatus: Command = {
  run: ({ engine, now }) =>
    okReply({
      host: hostname(),
      version: serverVersion,
      process: 'carapace-embedded-mongo',
      pid: process.pid,
      uptime: Math.floor((now.getTime() - engine.startedAt) / 1000),
      localTime: now,
      connections: { current: engine.connections(), available: 65_536 },
      opcounters: Object.fromEntries(
        ['insert', 'find', 'update', 'delete', 'getMore', 'aggregate', 'findAndModify'].map(name => [name, engine.counts.get(name) ?? 0]),
      ),
      transactions: { currentOpen: [...engine.sessions.values()].filter(({ txn }) => txn?.state === 'open').length },
      logicalSessionRecordCache: { activeSessionsCount: engine.sessions.size },
      metrics: { cursor: { open: { total: engine.cursors.size } } },
      mem: { resident: Math.round(process.memoryUsage().rss / 1_048_576), bits: 64 },
      repl: { setName: 'rs0', ismaster: true, secondary: false },
      storageEngine: { name: 'lmdb', supportsCommittedReads: true, persistent: true },
    }),
  fields: undefined,
}

export const getParameter: Command = {
  run: ({ engine, body }) => {
    const context: Doc = {
      featureCompatibilityVersion: { version: '8.0' },
      enableTestCommands: engine.failPoints !== undefined,
      authenticationMechanisms: [],
      ...Object.fromEntries(engine.parameters),
    }
    if (body.getParameter === '*') return okReply(context)
    const wanted = Object.keys(body).filter(field => Object.hasOwn(context, field))
    if (wanted.length === 0) fail(72, 'no option found to get')
    return okReply(Object.fromEntries(wanted.map(field => [field, context[field]])))
  },
  fields: undefined,
}

/** Parameters change nothing here. Only those without effect are accepted, and only for tests. */
export const setParameter: Command = {
  run: ({ engine, body }) => {
    if (!engine.failPoints) fail(115, 'setParameter is not supported by this server')
    for (const field of Object.keys(body))
      if (field !== 'setParameter' && !field.startsWith('$') && field !== 'lsid') engine.parameters.set(field, body[field])
    return okReply({ was: null })
  },
  fields: undefined,
}

export const connectionStatus: Command = {
  run: () => okReply({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] } }),
  fields: undefined,
}

export const whatsmyuri: Command = { run: ({ connection }) => okReply({ you: connection.peer }), fields: undefined }

export const replSetGetStatus: Command = {
  run: ({ connection, now }) =>
    okReply({
      set: 'rs0',
      date: now,
      myState: 1,
      members: [{ _id: 0, name: connection.address, health: 1, state: 1, stateStr: 'PRIMARY', self: true }],
    }),
  fields: undefined,
}

/** The profiler is always off. */
export const profile: Command = {
  run: ({ body }) => {
    const level = isNumeric(body.profile) ? asNumber(body.profile) : fail(14, "BSON field 'profile.profile' is the wrong type, expected a number")
    if (level > 0) fail(115, 'profiling is not supported by this server')
    return okReply({ was: 0, slowms: 100, sampleRate: new Double(1) })
  },
  fields: new Set(['slowms', 'sampleRate', 'filter']),
}

export const failPoint: Command = {
  run: ({ engine, body, name }) => {
    if (!engine.failPoints) return fail(59, `no such command: '${name}'`)
    configureFailPoint(engine.failPoints, String(body.configureFailPoint), body.mode, body.data)
    return okReply()
  },
  fields: undefined,
}

/** Left out without more to say than that. */
const absent = [
  'mapReduce',
  'killOp',
  'fsyncUnlock',
  'hostInfo',
  'top',
  'getLog',
  'getCmdLineOpts',
  'logRotate',
  'shutdown',
  'listCommands',
  'dataSize',
  'dbHash',
  'compact',
  'reIndex',
  'cloneCollectionAsCapped',
  'replSetGetConfig',
  'replSetStepDown',
  'replSetFreeze',
  'getDefaultRWConcern',
  'setDefaultRWConcern',
  'geoSearch',
]

/** Commands that MongoDB has and this engine leaves out, with the reason that the client is given. */
export const refusals: Record<string, [code: number, reason: string]> = {
  saslStart: [18, 'Authentication failed: this server has no users, it listens on loopback or a private socket only'],
  saslContinue: [18, 'Authentication failed: this server has no users'],
  authenticate: [18, 'Authentication failed: this server has no users'],
  createSearchIndexes: [115, 'Search index commands are only supported with Atlas.'],
  updateSearchIndex: [115, 'Search index commands are only supported with Atlas.'],
  dropSearchIndex: [115, 'Search index commands are only supported with Atlas.'],
  listSearchIndexes: [115, 'Search index commands are only supported with Atlas.'],
  shardCollection: [115, 'sharding is not supported by this server'],
  enableSharding: [115, 'sharding is not supported by this server'],
  convertToCapped: [115, 'turning a collection into a capped one is not supported by this server'],
  createUser: [115, 'users are not supported by this server'],
  createRole: [115, 'users are not supported by this server'],
  eval: [115, 'server-side JavaScript is not supported by this server'],
  ...Object.fromEntries(absent.map(name => [name, [115, `${name} is not supported by this server`] as [number, string]])),
}

export function refusal(name: string): Command {
  const [code, reason] = refusals[name]!
  return { run: (_context: Context) => fail(code, reason), fields: undefined }
}
