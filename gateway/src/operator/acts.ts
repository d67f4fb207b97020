import {
  type AnyEndpoint,
  chainRelayerApi,
  commerceApi,
  escrowApi,
  gatewayApi,
  identityApi,
  refuse,
  refuseField,
  type ServiceName,
} from '@carapace/api'
import type { Get } from './read.ts'

/** One entry of a form, by its label. A `flag` offers what true and false mean here, a `choice` its values. An `agent` is named by handle or id. */
export type Field =
  | { kind: 'text' | 'agent'; label: string }
  | { kind: 'choice'; label: string; values: Readonly<Record<string, string>> }
  | { kind: 'number'; label: string; isOptional?: true }
  | { kind: 'flag'; label: string; yes: string; no: string }

/** One thing that an operator does, as a form. Fields that the path names go there, the others into the body. */
export interface Act {
  service: ServiceName
  endpoint: AnyEndpoint
  title: string
  /** What it is for, in a sentence. */
  hint: string
  fields: Readonly<Record<string, Field>>
}

const text = (label: string): Field => ({ kind: 'text', label })
const flag = (label: string, yes: string, no: string): Field => ({ kind: 'flag', label, yes, no })
const agent: Field = { kind: 'agent', label: 'Agent (handle or id)' }
const reason = text('Reason')
const { resolveMigration, suspendAgent, createInvite } = identityApi.endpoints
const { slashBond, reverseSlash, adminResolveEscrow } = escrowApi.endpoints
const { retryChainCommand, cancelChainCommand } = chainRelayerApi.endpoints

/** Everything that /operator can change. */
export const acts = {
  resolve: {
    ...{ service: 'escrow', endpoint: adminResolveEscrow, title: 'Decide the dispute' },
    hint: 'The money in escrow goes to one side. This is final.',
    fields: { gigId: text('Gig'), releaseToPayee: flag('Decision', 'Pay the assignee', 'Refund the poster'), reason },
  },
  settle: {
    ...{ service: 'commerce', endpoint: commerceApi.endpoints.settleJob, title: 'Decide the dispute' },
    hint: 'The money of the job goes to one side. This is final.',
    fields: {
      jobId: text('Job'),
      outcome: { kind: 'choice', label: 'Decision', values: { settle: 'Pay the provider', reject: 'Refund the client' } },
      reason,
    },
  },
  slash: {
    ...{ service: 'escrow', endpoint: slashBond, title: 'Slash a bond' },
    hint: 'Takes part of the bond of an agent.',
    fields: { agentId: agent, amount: { kind: 'number', label: 'Amount in USDC' }, reason },
  },
  reverse: {
    ...{ service: 'escrow', endpoint: reverseSlash, title: 'Reverse a slash' },
    hint: 'Gives back what was slashed by mistake.',
    fields: { id: text('Slash (id)'), reason },
  },
  suspend: {
    ...{ service: 'identity', endpoint: suspendAgent, title: 'Suspend an agent' },
    hint: 'A suspended agent cannot act. Its money stays its own.',
    fields: { id: agent, suspended: flag('State', 'Suspended', 'Active again'), reason },
  },
  migration: {
    ...{ service: 'identity', endpoint: resolveMigration, title: 'Resolve a migration' },
    hint: 'An agent claims the reputation of an earlier identity.',
    fields: { id: text('Migration (id)'), approve: flag('Decision', 'Approve', 'Reject') },
  },
  invite: {
    ...{ service: 'identity', endpoint: createInvite, title: 'Make an invite' },
    hint: 'A token that lets agents register where that needs one. It is shown once.',
    fields: {
      uses: { kind: 'number', label: 'Registrations', isOptional: true },
      expiresInHours: { kind: 'number', label: 'Valid for hours', isOptional: true },
    },
  },
  replay: {
    ...{ service: 'gateway', endpoint: gatewayApi.endpoints.replayDeadLetter, title: 'Replay' },
    hint: 'Puts the message back into its queue.',
    fields: { id: text('Message'), queue: text('Queue') },
  },
  retry: {
    ...{ service: 'chain-relayer', endpoint: retryChainCommand, title: 'Send again' },
    hint: 'The same command in its next round. Refused where its failure has returned the money: its owner requests it again.',
    fields: { commandId: text('Command') },
  },
  cancel: {
    ...{ service: 'chain-relayer', endpoint: cancelChainCommand, title: 'Cancel' },
    hint: 'It is not sent, or an empty transaction replaces it. A payment that others have seen fails once its signature has expired.',
    fields: { commandId: text('Command') },
  },
} as const satisfies Record<string, Act>
export type ActName = keyof typeof acts

/** @throws ROUTE_NOT_FOUND */
export const actOf = (name: string): Act => (Object.hasOwn(acts, name) ? acts[name as ActName] : refuse('ROUTE_NOT_FOUND'))

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The form with the id of each agent that a person named by its handle. An unknown handle stays: the service says that there is none. */
export async function withAgentIds({ fields }: Act, form: URLSearchParams, get: Get): Promise<URLSearchParams> {
  const filled = new URLSearchParams(form)
  for (const name of Object.keys(fields).filter(name => fields[name]?.kind === 'agent')) {
    const given = form.get(name)?.trim().replace(/^@/, '') ?? ''
    if (given === '' || uuid.test(given)) continue
    const agent = await get('identity', identityApi.endpoints.getAgent, { id: given }).catch(() => undefined)
    if (agent !== undefined) filled.set(name, String(agent.id))
  }
  return filled
}

/** The key of a form: without one a repeated act would be a second one. @throws VALIDATION_ERROR */
export function keyOf(form: URLSearchParams): string {
  const key = form.get('key') ?? ''
  return uuid.test(key) ? key : refuseField('key', 'is missing: load the page again')
}

/** The call that a form makes: an empty field is left out, and the service judges what is missing. */
export function callOf({ endpoint, fields }: Act, form: URLSearchParams): { path: string; body: Record<string, unknown> } {
  const sent = (name: string) => form.get(name)?.trim() || undefined
  const path = endpoint.path.replace(/:([A-Za-z]+)/g, (_, name: string) => pathPart(name, sent(name)))
  const names = Object.keys(fields).filter(name => !endpoint.path.includes(`:${name}`))
  const body = Object.fromEntries(names.flatMap(name => (sent(name) === undefined ? [] : [[name, inBody(fields[name]!.kind, sent(name)!)]])))
  return { path, body }
}

function pathPart(field: string, value: string | undefined): string {
  if (value === undefined || /^\.{1,2}$/.test(value)) return refuseField(field, 'must not be empty')
  return encodeURIComponent(value)
}

function inBody(kind: Field['kind'], text: string): string | number | boolean {
  if (kind === 'flag') return text === 'true'
  return kind === 'number' && text !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}
