import { setTimeout as sleep } from 'node:timers/promises'
import { AgentCard, type SendMessageRequest, StreamResponse } from '@a2a-js/sdk'
import { DefaultRequestHandler, JsonRpcTransportHandler, ServerCallContext, validateVersion } from '@a2a-js/sdk/server'
import { a2aCapabilities, a2aInterface } from '@carapace/api'
import type { Logger } from '@carapace/service'
import type { Response } from 'express'
import type { Identity } from '../identity/identify.ts'
import type { Outer } from '../inside/inside.ts'
import type { Performer } from '../inside/operation.ts'
import type { Protocol } from '../protocols.ts'
import { sendSmaller } from '../proxy/compress.ts'
import type { RawHeaders } from '../request/headers.ts'
import { isTooDeep, tooDeep } from '../request/nesting.ts'
import { followsKey, holderOf, outerKey, tenantKey } from './context.ts'
import { executor } from './executor.ts'
import type { OpenStreams } from './open-streams.ts'
import { isOver, type Tasks } from './tasks.ts'

export interface A2aParts {
  tasks: Tasks
  streams: OpenStreams
  publicBaseUrl: string
  performerOf(outer: Outer): Performer
  /** Who calls, by what it has proven. @throws Refusal where it names one and proves another */
  identityOf(outer: Outer): Promise<Identity>
  log: Logger
}

interface Message {
  id?: string | number | null
  method?: unknown
  params?: Partial<SendMessageRequest>
}

/** The longest message; a task holds several of them. */
const mostBytes = 32_768
const [invalidRequest, internalError] = [-32_600, -32_603]
const tooLong = { code: invalidRequest, message: `The message has more than ${mostBytes} bytes` }

/** Methods that are answered by a stream. */
const streaming: ReadonlySet<unknown> = new Set(['SendStreamingMessage', 'SubscribeToTask'])

const anonymous = { isAuthenticated: false, userName: '' }
const sse = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
const pollMs = 500
const commentMs = 15_000

/** A2A 1.0 over JSON-RPC. */
export function a2aProtocol(parts: A2aParts): Protocol {
  const card = AgentCard.fromJSON({
    capabilities: a2aCapabilities,
    supportedInterfaces: [{ ...a2aInterface, url: `${parts.publicBaseUrl}${a2aInterface.path}` }],
    defaultInputModes: [],
  })
  // tasks are pushed by a job, which is there after a restart too
  const silent = { send: async () => {} }
  const { store, configs } = parts.tasks
  // a task that waits for its caller goes on by another message: nothing of it stays in memory
  const options = { keepBusAliveStates: [] }
  const handler = new DefaultRequestHandler(card, store, executor(parts), undefined, configs, silent, undefined, undefined, options)
  const rpc = new JsonRpcTransportHandler(handler)

  return async (outer, response, headers) => {
    await outer.count()
    const text = outer.body.toString()
    if (outer.body.length > mostBytes) return reply({ jsonrpc: '2.0', id: null, error: tooLong })
    const message = parsed(text)
    if (message === 'no JSON') return reply({ jsonrpc: '2.0', id: null, error: notJson })
    if (message === undefined) return reply({ jsonrpc: '2.0', id: null, error: notOne })
    if (isTooDeep(message)) return reply({ jsonrpc: '2.0', id: null, error: { code: invalidRequest, message: tooDeep } })
    const id = message.id ?? null
    // who it is from, and whether it has streams enough, is answered as everywhere
    const context = await contextOf(outer, message, parts)
    const open = streaming.has(message.method) ? await parts.streams.enter(holderOf(context), outer.signal) : undefined
    try {
      validateVersion(context.requestedVersion, card, 'JSONRPC')
      const answer = await rpc.handle(handed(message), context)
      if (open && Symbol.asyncIterator in answer)
        await stream(answer, { response, headers, id, context, signal: open.signal, tasks: parts.tasks, reply })
      else reply(withoutInsides(answer))
    } catch (error) {
      reply(withoutInsides({ jsonrpc: '2.0', id, error: JsonRpcTransportHandler.mapToJSONRPCError(error) }))
    } finally {
      await open?.leave()
    }

    /** What failed in here is for the log: its words say how the platform is made. */
    function withoutInsides(answer: object): object {
      const { error } = answer as { error?: { code: number; message: string } }
      if (error?.code !== internalError) return answer
      parts.log.error({ requestId: outer.requestId, reason: error.message }, 'A2A: a message could not be answered')
      return { ...answer, error: { code: internalError, message: 'Internal error' } }
    }

    function reply(body: object): void {
      if (response.writableEnded) return
      if (response.headersSent) return void response.end(frame(body))
      for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i]!, headers[i + 1]!)
      sendSmaller(outer.request, response, 200, body, { 'cache-control': 'private, no-store' })
    }
  }
}

async function contextOf(outer: Outer, message: Message, { identityOf }: A2aParts): Promise<ServerCallContext> {
  const { agent } = await identityOf(outer)
  const version = outer.request.headers['a2a-version']
  const { configuration, tenant } = message.params ?? {}
  const follows =
    message.method === 'SendStreamingMessage' || configuration?.returnImmediately === true || configuration?.taskPushNotificationConfig !== undefined
  return new ServerCallContext({
    user: agent ? { isAuthenticated: true, userName: agent.agentId } : anonymous,
    ...(typeof version === 'string' && version !== '' ? { requestedVersion: version } : {}),
    state: new Map<string, unknown>([[outerKey, outer], [tenantKey, tenant], ...(follows ? [[followsKey, true] as const] : [])]),
  })
}

/** The message without what the SDK would spend on it: memory for each name of a tenant, and a read for each task that it refers to. */
function handed({ params, ...rest }: Message): Record<string, unknown> {
  if (typeof params !== 'object' || params === null) return { ...rest, params }
  const { tenant: _, message, ...others } = params
  if (typeof message !== 'object' || message === null) return { ...rest, params: { ...params, tenant: undefined } }
  const { referenceTaskIds: __, reference_task_ids: ___, ...used } = message as typeof message & { reference_task_ids?: unknown }
  return { ...rest, params: { ...others, message: used } }
}

interface Open {
  signal: AbortSignal
  response: Response
  headers: RawHeaders
  id: string | number | null
  context: ServerCallContext
  tasks: Tasks
  reply(body: object): void
}

/** Sends what the call itself says, then what becomes of a task that follows a gig, until that is over, its reader disconnects or the gateway ends. */
async function stream(answers: AsyncGenerator<object, void, undefined>, open: Open): Promise<void> {
  const { signal, response, headers, id, context, tasks } = open
  const first = await answers.next()
  if (first.done) return
  const taskId = (first.value as Answer).result?.task?.id
  // what is refused before it begins is no stream
  if (taskId === undefined) return open.reply(first.value)
  response.writeHead(200, [...headers, ...Object.entries(sse).flat()])
  const comments = setInterval(() => response.write(':\n\n'), commentMs)
  response.once('close', () => clearInterval(comments))
  try {
    response.write(frame(first.value))
    let shown = statusIn(first.value)
    for await (const answer of answers) {
      response.write(frame(answer))
      shown = statusIn(answer) ?? shown
    }
    if (shown?.state !== 'TASK_STATE_WORKING') return
    for await (const payload of changes(tasks, taskId, context, shown.message?.messageId, signal))
      response.write(frame({ jsonrpc: '2.0', id, result: StreamResponse.toJSON({ payload }) }))
  } finally {
    clearInterval(comments)
    response.end()
  }
}

/** What happens to a followed task, in whichever process: it is read from where it is stored. `shown`: the message that its reader has last got. */
async function* changes(
  tasks: Tasks,
  taskId: string,
  context: ServerCallContext,
  shown: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<NonNullable<StreamResponse['payload']>> {
  let newest: { version: number; message: string | undefined } = { version: 0, message: shown }
  while (!signal.aborted) {
    const row = await tasks.seen(taskId, context)
    if (!row) return
    const { task, version } = row
    const state = task.status?.state ?? 0
    const message = task.status?.message?.messageId
    if (version !== newest.version && (isOver(state) || message !== newest.message)) {
      const ids = { taskId, contextId: task.contextId }
      // what a task has made comes before its end
      if (isOver(state))
        for (const artifact of task.artifacts)
          yield { $case: 'artifactUpdate', value: { ...ids, artifact, append: false, lastChunk: true, metadata: undefined } }
      yield { $case: 'statusUpdate', value: { ...ids, status: task.status, metadata: undefined } }
    }
    if (!row.isFollowed) return
    newest = { version, message }
    await sleep(pollMs, undefined, { signal }).catch(() => {})
  }
}

interface Status {
  state?: string
  message?: { messageId?: string }
}
interface Answer {
  result?: { task?: { id: string; status?: Status }; statusUpdate?: { status?: Status } }
}

function statusIn(answer: object): Status | undefined {
  const { task, statusUpdate } = (answer as Answer).result ?? {}
  return (statusUpdate ?? task)?.status
}

const frame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`

/** Of JSON-RPC; the SDK answers invalid params. */
const notOne = { code: invalidRequest, message: 'The body is no request: one object of JSON-RPC 2.0' }
const notJson = { code: -32_700, message: 'The body is no JSON' }

/** Undefined for what is no object. A batch is none: A2A has none. */
function parsed(text: string): Message | undefined | 'no JSON' {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return 'no JSON'
  }
}
