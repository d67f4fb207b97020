import { agentStatusChanged, chains, limits, Refusal, refuse, reputationApi } from '@carapace/api'
import { toChecksum } from '@carapace/chain'
import type { Stored } from '@carapace/store'
import { type Agent, agentsCollection, changed, type ReplacedCard } from '../agent.ts'
import type { Parts } from '../parts.ts'
import { type Application, checkHandle, isSettled, register } from './registration.ts'

type Request = Omit<Application, 'id' | 'cardTokenId' | 'platform'> & { registrationToken?: string | undefined }

/**
 * Records an agent; its commands to the networks go out with the same write. The same request sent again answers the same agent.
 * @throws NAME_RESERVED, INVITE_REQUIRED, DUPLICATE_HANDLE, DUPLICATE_WALLET
 */
export async function registerAgent(parts: Parts, { registrationToken, ...request }: Request): Promise<Stored<Agent>> {
  checkHandle(request.handle)
  const { named: namesake, holder, former } = await parts.agents.havingEither(request.handle, request.wallet)
  if (namesake?.operationId === request.operationId) return namesake
  const invited = parts.config.INVITE_ONLY
  const applicant = applicantOf(request)
  if (invited && !(registrationToken && (await parts.invites.use(registrationToken, applicant, parts.clock.now())))) refuse('INVITE_REQUIRED')
  try {
    if (namesake) refuse('DUPLICATE_HANDLE', { handle: request.handle })
    if (holder) await freeWallet(parts, holder, request)
    // read again: its holder may have lost it just now
    const replacedCard = replacedCardOf(holder ? await parts.agents.byFormerWallet(request.wallet) : former)
    return await record(parts, { ...request, platform: false, ...(replacedCard ? { replacedCard } : {}) })
  } catch (error) {
    // after any other error the agent may exist: the use stays with the request, which may be sent again
    if (!(invited && error instanceof Refusal)) throw error
    const made = await parts.agents.byHandle(request.handle)
    if (made?.operationId === request.operationId) return made
    await parts.invites.returnUse(registrationToken!, applicant)
    throw error
  }
}

/** The same request for the same agent: a client may use its key again for another one a day later. */
const applicantOf = ({ operationId, handle, wallet }: Request): string => [operationId, handle, wallet].join(' ')

async function record(parts: Parts, application: Omit<Application, 'id' | 'cardTokenId'>): Promise<Stored<Agent>> {
  const { clock, newId, baseUrl } = parts
  const cardTokenId = await parts.nextCard()
  const { state, events } = register({ ...application, id: newId(), cardTokenId }, { now: clock.now(), newId, baseUrl })
  return parts.agents.create(state, events)
}

/** A wallet in use stays where it is, unless its owner proves it and the agent that has it was never proven and has no settled work. @throws DUPLICATE_WALLET */
async function freeWallet(parts: Parts, holder: Stored<Agent>, request: Request): Promise<void> {
  if (!request.walletProven || holder.walletProven || (await hasSettledWork(parts, holder))) refuse('DUPLICATE_WALLET')
  await parts.agents.change(holder.id, agent => (agent.walletProven ? refuse('DUPLICATE_WALLET') : loseWallet(agent)))
}

/** Read from the record of the agent that gave the wallet up, so that a registration that is tried again finds it, too. */
function replacedCardOf(former: Agent | undefined): ReplacedCard | undefined {
  const minted = former ? chains.filter(chain => former.chains[chain].card.onChain?.status === 'confirmed') : []
  return former && minted.length > 0 ? { tokenId: former.cardTokenId, chains: minted } : undefined
}

/** Read from reputation itself, because refusals and transfers depend on it. @throws DEPENDENCY_UNAVAILABLE */
export async function hasSettledWork(parts: Parts, agent: Agent & { id: string }): Promise<boolean> {
  if (agent.standing.totalGigsCompleted > 0) return true
  const score = await parts.peers.find('reputation', reputationApi.internal.getScoreRow, { params: { agentId: agent.id } })
  return (score?.totalGigsCompleted ?? 0) > 0
}

function loseWallet(agent: Agent) {
  if (agent.wallet === null) return undefined
  const event = agentStatusChanged.of({
    agentId: agent.id,
    handle: agent.handle,
    status: 'suspended',
    wallet: null,
    formerWallet: agent.wallet,
    cause: 'wallet_reclaimed',
    reason: 'The owner of the wallet has registered with a signature',
  })
  return changed(agent, { status: 'suspended', wallet: null, formerWallet: agent.wallet }, [event])
}

/** The agent when the networks have answered, or as it is after the bounded wait. */
export async function whenSettled(parts: Parts, id: string, timeoutMs: number = limits.boundedWaitMs): Promise<Stored<Agent>> {
  const settled = async () => {
    const agent = await parts.agents.need(id)
    return isSettled(agent) ? agent : undefined
  }
  return (await parts.wait(agentsCollection, id, settled, timeoutMs)) ?? parts.agents.need(id)
}

export const platformHandle = 'carapace'

/** The platform's own agent, made at the first start; without an oracle there is none. */
export async function ensurePlatformAgent(parts: Parts): Promise<void> {
  const oracle = parts.config.ORACLE_WALLET
  if (oracle === undefined || (await parts.agents.byHandle(platformHandle))) return
  try {
    await record(parts, {
      handle: platformHandle,
      wallet: toChecksum(oracle),
      walletProven: true,
      description: 'The platform itself: finds agents and gigs, records scores, arranges validation.',
      skills: [],
      agentType: 'platform',
      chain: 'BOTH',
      platform: true,
      operationId: platformHandle,
    })
  } catch (error) {
    // another replica was quicker
    if (!(error instanceof Refusal && error.code === 'DUPLICATE_HANDLE')) throw error
  }
}
