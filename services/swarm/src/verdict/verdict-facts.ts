import { type Chain, dayMs, Refusal, refuse } from '@carapace/api'
import { unlessFirst } from '@carapace/chain'
import type { Decision, Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import type { Validation } from '../validation/validation.ts'
import type { VerdictFacts } from './verdict.ts'

const unprovenWaitMs = dayMs
/** A whole panel may vote at the same moment, while the chain confirms earlier votes: each write lets one of them through. */
const rounds = 5

type Decide = (present: Stored<Validation>, facts: VerdictFacts) => Decision<Validation> | undefined

/** A verdict falls that depends on facts, which are read for few votes only. */
class FactsUnread extends Error {}

/**
 * Decides about a validation, with the facts where a verdict depends on them. They are read for all seats, because any of them may vote meanwhile, and
 * again when the panel itself has changed.
 * @throws CONFLICT, and the refusals of `decide`
 */
export async function decideKnowing(parts: Parts, id: string, decide: Decide): Promise<Stored<Validation>> {
  const isDevnet = (await parts.networks.all()).every(network => network.devnet)
  const opensOn = (chain: Chain) => {
    const every = parts.networks.cachedEveryContract(chain, 'swarmValidator') ?? []
    return unlessFirst(every, every.at(-1))
  }
  const at = { isDevnet, opensOn }
  const unread = unreadFacts(at, parts.newId())
  for (let round = 1; round <= rounds; round++) {
    try {
      const changed = await parts.validations.change(id, present => decide(present, unread)).catch(lostRace)
      if (changed) return changed
    } catch (error) {
      if (error instanceof FactsUnread) return decideReading(parts, id, decide, at)
      throw error
    }
  }
  return refuse('CONFLICT')
}

/** What is known of the networks. */
interface Networks extends Pick<VerdictFacts, 'opensOn'> {
  isDevnet: boolean
}

async function decideReading(parts: Parts, id: string, decide: Decide, networks: Networks): Promise<Stored<Validation>> {
  for (let round = 1; round <= rounds; round++) {
    const seats = (await parts.validations.need(id)).panel.map(seat => seat.agentId)
    const facts = await verdictFacts(parts, seats, networks)
    let isPanelNew = false
    const changed = await parts.validations
      .change(id, present => {
        isPanelNew = present.panel.some(seat => !seats.includes(seat.agentId))
        return isPanelNew ? undefined : decide(present, facts)
      })
      .catch(lostRace)
    if (changed && !isPanelNew) return changed
  }
  return refuse('CONFLICT')
}

function unreadFacts({ isDevnet, opensOn }: Networks, nextId: string): VerdictFacts {
  const need = (): never => {
    throw new FactsUnread()
  }
  return { crewsOf: need, registeredAt: need, waitMs: isDevnet ? () => 0 : need, opensOn, nextId }
}

function lostRace(error: unknown): undefined {
  if (!(error instanceof Refusal) || error.code !== 'CONFLICT') throw error
}

async function verdictFacts(parts: Parts, agentIds: readonly string[], { isDevnet, opensOn }: Networks): Promise<VerdictFacts> {
  const [crews, agents, proven] = await Promise.all([
    parts.facts.crewsOf(agentIds),
    parts.agents.many(agentIds),
    isDevnet ? new Set<string>() : parts.facts.proven(agentIds),
  ])
  return {
    crewsOf: agentId => crews.get(agentId) ?? [],
    registeredAt: agentId => agents.get(agentId)?.registeredAt ?? longAgo,
    waitMs: approvers => (isDevnet || approvers.filter(id => proven.has(id)).length >= approvers.length / 2 ? 0 : unprovenWaitMs),
    opensOn,
    nextId: parts.newId(),
  }
}

/** Without evidence no agent counts as young: that would freeze a verdict. */
const longAgo = new Date(0)
