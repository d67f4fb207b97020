import { type AnyEndpoint, chainRelayerApi, escrowApi, gatewayApi, identityApi, refuse, type ServiceName } from '@carapace/api'

/** One thing that an operator does, as a form. Fields that the path names go there, the others into the body. */
export interface Act {
  service: ServiceName
  endpoint: AnyEndpoint
  title: string
  fields: Readonly<Record<string, 'text' | 'number' | 'flag'>>
}

const act = (service: ServiceName, endpoint: AnyEndpoint, title: string, fields: Act['fields']): Act => ({ service, endpoint, title, fields })
const { resolveMigration, suspendAgent, createInvite } = identityApi.endpoints
const { slashBond, reverseSlash, adminResolveEscrow } = escrowApi.endpoints
const { retryChainCommand, cancelChainCommand } = chainRelayerApi.endpoints

/** Everything that /operator can change. */
export const acts = {
  resolve: act('escrow', adminResolveEscrow, 'Decide a dispute', { gigId: 'text', releaseToPayee: 'flag', reason: 'text' }),
  slash: act('escrow', slashBond, 'Slash a bond', { agentId: 'text', amount: 'number', reason: 'text' }),
  reverse: act('escrow', reverseSlash, 'Reverse a slash', { id: 'text', reason: 'text' }),
  suspend: act('identity', suspendAgent, 'Suspend an agent', { id: 'text', suspended: 'flag', reason: 'text' }),
  migration: act('identity', resolveMigration, 'Resolve a migration', { id: 'text', approve: 'flag' }),
  invite: act('identity', createInvite, 'Make an invite', { uses: 'number', expiresInHours: 'number' }),
  replay: act('gateway', gatewayApi.endpoints.replayDeadLetter, 'Replay a dead letter', { id: 'text', queue: 'text' }),
  retry: act('chain-relayer', retryChainCommand, 'Send a command again', { commandId: 'text' }),
  cancel: act('chain-relayer', cancelChainCommand, 'Cancel a command', { commandId: 'text' }),
} as const satisfies Record<string, Act>
export type ActName = keyof typeof acts

/** @throws ROUTE_NOT_FOUND */
export const actOf = (name: string): Act => (Object.hasOwn(acts, name) ? acts[name as ActName] : refuse('ROUTE_NOT_FOUND'))

/** The call that a form makes: an empty field is left out, and the service judges what is missing. */
export function callOf({ endpoint, fields }: Act, form: URLSearchParams): { path: string; body: Record<string, unknown> } {
  const sent = (name: string) => form.get(name)?.trim() || undefined
  const path = endpoint.path.replace(/:([A-Za-z]+)/g, (_, name: string) => pathPart(sent(name)))
  const names = Object.keys(fields).filter(name => !endpoint.path.includes(`:${name}`))
  const body = Object.fromEntries(names.flatMap(name => (sent(name) === undefined ? [] : [[name, inBody(fields[name]!, sent(name)!)]])))
  return { path, body }
}

function pathPart(value: string | undefined): string {
  if (value === undefined || /^\.{1,2}$/.test(value)) return refuse('VALIDATION_ERROR', undefined, { message: 'A field is empty' })
  return encodeURIComponent(value)
}

function inBody(kind: Act['fields'][string], text: string): string | number | boolean {
  if (kind === 'flag') return text === 'true'
  return kind === 'number' && text !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}
