import { apis, chainRelayerApi, gatewayApi, identityApi, reputationApi, type Saga, type ServiceName, sagaReport } from '@carapace/api'
import type { Peers } from '@carapace/service'
import type { AdminCall, AdminLog } from '../identity/admin-log.ts'
import { type CallParts, callAs, type Operator } from './call.ts'
import { type Disputes, disputes } from './read-disputes.ts'

/** A part of the page: what there is, or that it cannot be read now. */
export type Read<T> = { is: 'read'; value: T } | { is: 'failed'; why: string }

// biome-ignore lint/suspicious/noExplicitAny: rows of several services, shown as they are
export type Entry = Record<string, any>

/** The sagas of one service: those that wait longest, and how many wait. */
export interface SagasOf {
  where: ServiceName
  sagas: Saga[]
  total: number
}

export interface Facts {
  deadLetters: Read<Entry[]>
  commands: Read<Entry[]>
  disputes: Read<Disputes>
  sagas: Read<SagasOf>[]
  migrations: Read<Entry[]>
  suspensions: Read<Entry[]>
  slashes: Read<Entry[]>
  invites: Read<Entry[]>
  log: Read<AdminCall[]>
}

/** Reads an endpoint as the operator. @throws Error with the message of a refusal */
export type Get = (service: ServiceName, endpoint: { method: string; path: string }, args?: Record<string, string>, query?: string) => Promise<Entry>

const most = 50
/** All that is not over, what failed first, and some of the newest. */
const shownCommands = [...['FAILED', 'QUEUED', 'INCLUDED'].map(state => `?state=${state}&limit=${most}`), '?limit=10']
const page = `?limit=${most}`
const { listMigrations, listSuspensions, listInvites } = identityApi.endpoints

export const readsOf =
  (operator: Operator, parts: CallParts): Get =>
  async (service, endpoint, args = {}, query = '') => {
    const path = endpoint.path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(args[name] ?? ''))
    const { status, body } = await callAs(operator, service, { method: 'get' }, path + query, parts)
    if (status !== 200) throw new Error(String(body.message ?? status))
    return body
  }

/** Everything that the page shows, read together; a part that fails leaves the others. @param from the first dispute that is shown */
export async function facts(operator: Operator, from: number, parts: CallParts & { peers: Peers; adminLog: AdminLog }): Promise<Facts> {
  const get = readsOf(operator, parts)
  const list = (service: ServiceName, endpoint: { method: string; path: string }, name: string) =>
    tried(async () => (await get(service, endpoint, {}, page))[name] as Entry[])
  const [deadLetters, commands, disputed, sagas, migrations, suspensions, slashes, invites, log] = await Promise.all([
    list('gateway', gatewayApi.endpoints.listDeadLetters, 'deadLetters'),
    tried(() => commandsOf(get)),
    tried(() => disputes(get, from)),
    Promise.all(withSagas.map(where => tried(async () => ({ where, ...(await parts.peers.call(where, sagaReport)) })))),
    list('identity', listMigrations, 'migrations'),
    list('identity', listSuspensions, 'suspensions'),
    list('reputation', reputationApi.endpoints.listSlashes, 'slashes'),
    list('identity', listInvites, 'invites'),
    tried(() => parts.adminLog.newest(most)),
  ])
  return { deadLetters, commands, disputes: disputed, sagas, migrations, suspensions, slashes, invites, log }
}

const withSagas = Object.values(apis).flatMap(({ name, internal }) => (Object.hasOwn(internal, 'sagaReport') ? [name] : []))

async function commandsOf(get: Get): Promise<Entry[]> {
  const pages = await Promise.all(shownCommands.map(query => get('chain-relayer', chainRelayerApi.endpoints.listChainQueue, {}, query)))
  const commands = pages.flatMap(({ commands }) => commands as Entry[])
  return [...new Map(commands.map(command => [command.commandId, command])).values()]
}

async function tried<T>(read: () => Promise<T>): Promise<Read<T>> {
  try {
    return { is: 'read', value: await read() }
  } catch (error) {
    return { is: 'failed', why: error instanceof Error ? error.message : String(error) }
  }
}
