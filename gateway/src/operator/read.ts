import {
  apis,
  chainRelayerApi,
  type DoctorCheck,
  doctorReport,
  escrowApi,
  gatewayApi,
  marketplaceApi,
  type ServiceName,
  swarmApi,
} from '@carapace/api'
import type { Peers } from '@carapace/service'
import type { AdminCall, AdminLog } from '../identity/admin-log.ts'
import { type CallParts, callAs, type Operator } from './call.ts'

/** A part of the page: what there is, or that it cannot be read now. */
export type Read<T> = { is: 'read'; value: T } | { is: 'failed'; why: string }

export interface Facts {
  checks: Read<(DoctorCheck & { where: ServiceName })[]>
  deadLetters: Read<Entry[]>
  commands: Read<Entry[]>
  disputes: Read<Dispute[]>
  log: Read<AdminCall[]>
}
// biome-ignore lint/suspicious/noExplicitAny: rows of several services, shown as they are
export type Entry = Record<string, any>
export interface Dispute {
  gig: Entry
  escrow: Entry
  panels: { validation: Entry; votes: Entry[] }[]
}

const most = 50
/** All that is not over, what failed first, and some of the newest. */
const shownCommands = [...['FAILED', 'QUEUED', 'INCLUDED'].map(state => `?state=${state}&limit=${most}`), '?limit=10']
const doctorMs = 10_000
const { listDeadLetters } = gatewayApi.endpoints
const { listChainQueue } = chainRelayerApi.endpoints
const { listGigs, getGig } = marketplaceApi.endpoints
const { listValidations, listVotes } = swarmApi.endpoints

/** Everything that the page shows, read together; a part that fails leaves the others. */
export async function facts(operator: Operator, parts: CallParts & { peers: Peers; adminLog: AdminLog }): Promise<Facts> {
  const get = async (service: ServiceName, endpoint: { method: 'get'; path: string }, args: Record<string, string> = {}, query = '') => {
    const path = endpoint.path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(args[name] ?? ''))
    const { status, body } = await callAs(operator, service, endpoint, path + query, parts)
    if (status !== 200) throw new Error(String(body.message ?? status))
    return body
  }
  const as = <E>(endpoint: E) => endpoint as E & { method: 'get'; path: string }
  const disputeOf = async (id: string): Promise<Dispute> => {
    const [gig, escrow, { validations }] = await Promise.all([
      get('marketplace', as(getGig), { id }),
      get('escrow', as(escrowApi.endpoints.getEscrow), { gigId: id }),
      get('swarm', as(listValidations), {}, `?gigId=${id}`),
    ])
    const votesOf = async (validation: Entry) => ({ validation, votes: (await get('swarm', as(listVotes), { id: validation.id })).votes })
    return { gig, escrow, panels: await Promise.all((validations as Entry[]).map(votesOf)) }
  }
  const [checks, deadLetters, commands, disputes, log] = await Promise.all([
    tried(async () => (await Promise.all(examined.map(name => checksOf(name, parts.peers)))).flat()),
    tried(async () => (await get('gateway', as(listDeadLetters), {}, `?limit=${most}`)).deadLetters as Entry[]),
    tried(async () => {
      const pages = await Promise.all(shownCommands.map(query => get('chain-relayer', as(listChainQueue), {}, query)))
      const commands = pages.flatMap(page => page.commands as Entry[])
      return [...new Map(commands.map(command => [command.commandId, command])).values()]
    }),
    tried(async () => {
      const gigs: Entry[] = await get('marketplace', as(listGigs), {}, `?status=disputed&limit=${most}`)
      return Promise.all(gigs.map(({ id }) => disputeOf(id)))
    }),
    tried(() => parts.adminLog.newest(most)),
  ])
  return { checks, deadLetters, commands, disputes, log }
}

const examined = Object.values(apis).flatMap(({ name, internal }) => (Object.hasOwn(internal, 'doctorReport') ? [name] : []))

/** A check that cannot be made counts as one thing wrong. */
async function checksOf(where: ServiceName, peers: Peers): Promise<(DoctorCheck & { where: ServiceName })[]> {
  try {
    const { checks } = await peers.call(where, doctorReport, { timeoutMs: doctorMs })
    return checks.map(check => ({ ...check, where }))
  } catch (error) {
    return [{ where, name: 'books', count: 1, detail: [error instanceof Error ? error.message : String(error)] }]
  }
}

async function tried<T>(read: () => Promise<T>): Promise<Read<T>> {
  try {
    return { is: 'read', value: await read() }
  } catch (error) {
    return { is: 'failed', why: error instanceof Error ? error.message : String(error) }
  }
}
