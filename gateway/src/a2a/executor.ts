import { createHash, randomUUID } from 'node:crypto'
import { type Message, Role, type Task, TaskState } from '@a2a-js/sdk'
import { AgentEvent, type AgentExecutionEvent, type AgentExecutor, type RequestContext } from '@a2a-js/sdk/server'
import { type A2aSkill, errorBody, identityApi, marketplaceApi, Refusal } from '@carapace/api'
import { asRefusal, type Logger } from '@carapace/service'
import type { Outer } from '../inside/inside.ts'
import { type Operation, type Performer, perform, type Values } from '../inside/operation.ts'
import { followsKey, outerOf, tenantKey } from './context.ts'
import { dataPart, isSkill, skills, usage, type Wanted, wantedBy } from './skills.ts'
import type { FollowedGig, Tasks } from './tasks.ts'

export interface ExecutorParts {
  tasks: Pick<Tasks, 'follow'>
  performerOf(outer: Outer): Performer
  log: Logger
}

const getAgent: Operation = { endpoint: identityApi.endpoints.getAgent, names: {}, actor: undefined }
const offerGig: Operation = { endpoint: marketplaceApi.endpoints.offerGig, names: {}, actor: undefined }

type Ids = Pick<Task, 'id' | 'contextId'>
type Part = Message['parts'][number]

/** Carries a message out: one call of the API, on behalf of the caller. */
export function executor({ tasks, performerOf, log }: ExecutorParts): AgentExecutor {
  return {
    execute: async ({ taskId, contextId, userMessage, task, context }: RequestContext, bus) => {
      const ids = { id: taskId, contextId }
      const outer = outerOf(context)!
      const before = task?.metadata?.skill
      const wanted = wantedBy(userMessage, isSkill(before) ? before : undefined)
      bus.publish(working(ids, userMessage, task, wanted))
      if (!wanted) return bus.publish(statusEvent(ids, TaskState.TASK_STATE_INPUT_REQUIRED, [textPart(usage)]))
      const tenant = context.state.get(tenantKey)
      const given = { ...wanted, tenant: typeof tenant === 'string' ? tenant : undefined, follows: context.state.has(followsKey) }
      const follow = (gig: FollowedGig) => tasks.follow(taskId, context, gig)
      const around = { requestId: outer.requestId, key: keyOf(userMessage), follow, log }
      for (const event of await done(ids, given, performerOf(outer), around)) bus.publish(event)
    },
    // what follows a gig is not running here
    cancelTask: async () => {},
  }
}

interface Given extends Wanted {
  /** The agent to whose interface the message was sent: its handle. */
  tenant: string | undefined
  follows: boolean
}
interface Around {
  requestId: string
  /** Under which the message acts. */
  key: string
  log: Logger
  follow(gig: FollowedGig): Promise<void>
}

async function done(ids: Ids, { skill, input, tenant, follows }: Given, performer: Performer, around: Around): Promise<AgentExecutionEvent[]> {
  try {
    const { status, body } = await answered(skill, input, tenant || undefined, performer, around.key)
    if (status >= 400) return [refused(ids, status, body)]
    if (skill !== 'gig_status' || !follows || isFinal(String(body.status))) return finished(ids, skill, body)
    await around.follow({ gigId: String(body.id), gigStatus: String(body.status) })
    return [gigStatus(ids, body)]
  } catch (error) {
    // thrown on, it would go out with words that are for nobody outside
    if (!(error instanceof Refusal)) around.log.error({ err: error, requestId: around.requestId }, 'A2A: the message could not be carried out')
    const refusal = asRefusal(error)
    return [refused(ids, refusal.status, errorBody(refusal, around.requestId))]
  }
}

const refused = (ids: Ids, status: number, body: Answered['body']) =>
  statusEvent(ids, stateOf(status), [textPart(String(body.message ?? body.error)), dataPart(body)])

interface Answered {
  status: number
  body: Record<string, unknown>
}

/** What the API says. A gig that is posted to one agent is offered to it. */
async function answered(skill: A2aSkill, input: Values, tenant: string | undefined, performer: Performer, key: string): Promise<Answered> {
  const call = async (operation: Operation, fields: Values): Promise<Answered> => {
    const { status, body } = await perform(operation, fields, performer, isWrite(operation) ? { 'idempotency-key': key } : {})
    return { status, body: JSON.parse(body.toString()) as Answered['body'] }
  }
  if (skill === 'check_reputation') return call(skills[skill], { agent: tenant, ...input })
  if (skill !== 'post_gig' || tenant === undefined) return call(skills[skill], input)
  const agent = await call(getAgent, { id: tenant })
  if (agent.status >= 400) return agent
  const gig = await call(skills.post_gig, input)
  if (gig.status >= 400) return gig
  const offer = await call(offerGig, { id: gig.body.id, agentId: agent.body.id })
  return { status: gig.status, body: { ...gig.body, offer: offer.body } }
}

const isWrite = ({ endpoint }: Operation): boolean => endpoint.method !== 'get'

/** A message that is sent again, because its answer was lost, has one effect: its sender gives it an id that is its own. */
const keyOf = ({ messageId }: Message): string => `a2a-${createHash('sha256').update(messageId).digest('hex').slice(0, 32)}`

/** How a refusal ends a task: what the caller can mend is not its end. */
function stateOf(status: number): TaskState {
  if (status === 401) return TaskState.TASK_STATE_AUTH_REQUIRED
  if (status === 400) return TaskState.TASK_STATE_INPUT_REQUIRED
  return status >= 500 ? TaskState.TASK_STATE_FAILED : TaskState.TASK_STATE_REJECTED
}

/** Whether a gig is settled or ended in another way. */
export const isFinal = (gigStatus: string): boolean => gigStatus === 'completed' || gigStatus === 'cancelled'

/** The event by which a task says where its gig is. */
export const gigStatus = (ids: Ids, gig: Readonly<Record<string, unknown>>): AgentExecutionEvent =>
  statusEvent(ids, TaskState.TASK_STATE_WORKING, [
    textPart(`The gig is ${String(gig.status)}`),
    dataPart({ gigId: gig.id, status: gig.status, escrowStatus: gig.escrowStatus, validationId: gig.validationId, updatedAt: gig.updatedAt }),
  ])

/** The events by which a task ends with its result. */
export function finished(ids: Ids, name: string, result: unknown): AgentExecutionEvent[] {
  const artifact = { artifactId: randomUUID(), name, description: '', parts: [dataPart(result)], metadata: undefined, extensions: [] }
  return [
    AgentEvent.artifactUpdate({ taskId: ids.id, contextId: ids.contextId, artifact, append: false, lastChunk: true, metadata: undefined }),
    statusEvent(ids, TaskState.TASK_STATE_COMPLETED, []),
  ]
}

function working(ids: Ids, message: Message, task: Task | undefined, wanted: Wanted | undefined): AgentExecutionEvent {
  const status = { state: TaskState.TASK_STATE_WORKING, message: undefined, timestamp: new Date().toISOString() }
  const metadata = { ...task?.metadata, ...(wanted ? { skill: wanted.skill } : {}) }
  return AgentEvent.task({ ...ids, status, artifacts: task?.artifacts ?? [], history: task?.history ?? [message], metadata })
}

function statusEvent({ id: taskId, contextId }: Ids, state: TaskState, parts: Part[]): AgentExecutionEvent {
  const common = { metadata: undefined, extensions: [], referenceTaskIds: [] }
  const message = parts.length === 0 ? undefined : { messageId: randomUUID(), taskId, contextId, role: Role.ROLE_AGENT, parts, ...common }
  return AgentEvent.statusUpdate({ taskId, contextId, status: { state, message, timestamp: new Date().toISOString() }, metadata: undefined })
}

const textPart = (value: string): Part => ({ content: { $case: 'text', value }, mediaType: 'text/plain', filename: '', metadata: undefined })
