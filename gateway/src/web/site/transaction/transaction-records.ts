import { type Chain, type ChainLog, commerceApi, identityApi, marketplaceApi, swarmApi } from '@carapace/api'
import { uuidOfKey } from '@carapace/chain'
import { unlessRefused } from '@carapace/service'
import { addressOf } from '../../parts/lists.ts'
import type { SiteParts } from '../../site-parts.ts'
import { textOf } from './log-phrases.ts'

/** What a transaction belongs to. */
export interface Belonging {
  kind: string
  name: string
  href: string
}

const shownRecords = 5

/** The gig, the job, the name or the agent that the logs of a transaction are about. */
export async function recordsOf({ peers }: Pick<SiteParts, 'peers'>, chain: Chain, logs: readonly ChainLog[]): Promise<Belonging[]> {
  const validations = distinct(logs, 'SwarmValidator', ({ validation }) => uuidOfKey(textOf(validation))).slice(0, shownRecords)
  const judged = await Promise.all(validations.map(id => unlessRefused(peers.find('swarm', swarmApi.endpoints.getValidation, { params: { id } }))))
  const gigIds = new Set([...gigsOf(logs), ...judged.flatMap(validation => validation?.gigId ?? [])])
  const jobIds = new Set(judged.flatMap(validation => validation?.jobId ?? []))
  const found = await Promise.all([
    ...[...gigIds].map(id => gig(peers, id)),
    ...jobsOf(logs).map(({ jobId, contract }) => job(peers, jobId, { chain, contract })),
    ...[...jobIds].map(id => job(peers, id)),
    ...namesOf(logs).map(async name => ({ kind: 'Name', name, href: addressOf('/domains', { q: name }) })),
    ...agentsOf(logs).map(tokenId => agent(peers, chain, tokenId)),
  ])
  return found.flatMap(belonging => belonging ?? []).slice(0, shownRecords)
}

const gig = async (peers: SiteParts['peers'], id: string): Promise<Belonging> => {
  const found = await unlessRefused(peers.find('marketplace', marketplaceApi.endpoints.getGig, { params: { id } }))
  return { kind: 'Gig', name: found?.title ?? id, href: `/gigs/${id}` }
}

/** @param place of a job that is named by its number */
const job = async (peers: SiteParts['peers'], jobId: string, place: { chain?: Chain; contract?: string } = {}): Promise<Belonging | undefined> => {
  const found = await unlessRefused(peers.find('commerce', commerceApi.endpoints.getJob, { params: { jobId }, query: place }))
  return found && { kind: 'Job', name: found.title, href: `/jobs/${found.id}` }
}

const agent = async (peers: SiteParts['peers'], chain: Chain, tokenId: string): Promise<Belonging | undefined> => {
  const found = await unlessRefused(peers.find('identity', identityApi.endpoints.getErc8004Token, { params: { tokenId }, query: { chain } }))
  return found && { kind: 'Agent', name: found.handle, href: `/agents/${found.handle}` }
}

/** Ids of gigs, by the keys of escrow and bond. */
export const gigsOf = (logs: readonly ChainLog[]): string[] =>
  [
    ...new Set([
      ...distinct(logs, 'Escrow', ({ key }) => uuidOfKey(textOf(key))),
      ...distinct(logs, 'Bond', ({ gigId }) => uuidOfKey(textOf(gigId))),
    ]),
  ].slice(0, shownRecords)

/** Ids, or numbers on their contracts, of jobs: their events come in the forms of both standards, the newer one with a number. */
export function jobsOf(logs: readonly ChainLog[]): { jobId: string; contract: string }[] {
  const contracts = new Set(logs.flatMap(log => (log.contract === 'Commerce' ? log.address : [])))
  const onContract = (contract: string) =>
    distinct(
      logs.filter(({ address }) => address === contract),
      'Commerce',
      jobIdIn,
    )
  return [...contracts].flatMap(contract => onContract(contract).map(jobId => ({ jobId, contract }))).slice(0, shownRecords)
}

function jobIdIn({ jobId }: ChainLog['args']): string | undefined {
  const text = textOf(jobId)
  if (/^\d{1,78}$/.test(text)) return text
  if (!/^0x[0-9a-f]{64}$/i.test(text)) return undefined
  return uuidOfKey(text) ?? BigInt(text).toString()
}

const namesOf = (logs: readonly ChainLog[]): string[] =>
  distinct(logs, 'DomainRegistry', ({ name }) => (name === undefined ? undefined : textOf(name)))

const agentsOf = (logs: readonly ChainLog[]): string[] =>
  ['IdentityRegistry', 'ReputationRegistry', 'ValidationRegistry'].flatMap(contract =>
    distinct(logs, contract, ({ agentId }) => (/^\d{1,64}$/.test(textOf(agentId)) ? textOf(agentId) : undefined)).slice(0, shownRecords),
  )

/** What the logs of a contract name, each once. */
function distinct(logs: readonly ChainLog[], contract: string, nameIn: (args: ChainLog['args']) => string | undefined): string[] {
  const names = logs.flatMap(log => (log.contract === contract ? (nameIn(log.args) ?? []) : []))
  return [...new Set(names)]
}
