import { type AgentRow, dayMs, identityApi } from '@carapace/api'
import { type Job, type Platform, unlessPassing } from '@carapace/service'
import { type AgentRows, saveRow } from './agents.ts'

const { listRestrictedAgents } = identityApi.internal

/** So long at most a suspension, a migration or a policy that no event has reported does not bind. */
const everyMs = 5_000
/** The first poll of a process goes back so far: what is older was reported to the one before it. */
const firstPollMs = dayMs

/**
 * Polls identity for the agents that have lost a right. A caller is accepted on the word of the copy, which events write: without this a lost one would let a
 * suspended agent go on for ever. What an agent gains is read before it is refused.
 */
export function catchUpJob({ agentRows, peers, clock }: Pick<Platform, 'peers' | 'clock'> & { agentRows: AgentRows }): Job {
  let since: string | undefined
  const readOn = async (from: string): Promise<string> => {
    const answer = await unlessPassing(peers.call('identity', listRestrictedAgents, { query: { since: from } }))
    if (!answer) return from
    await correct(agentRows, answer.agents)
    return answer.more ? readOn(answer.next) : answer.next
  }
  return {
    name: 'agents that have lost a right',
    everyMs,
    run: async () => {
      since = await readOn(since ?? new Date(clock.now().getTime() - firstPollMs).toISOString())
    },
  }
}

/** Most are known: they only go on working. */
async function correct(rows: AgentRows, agents: readonly AgentRow[]): Promise<void> {
  if (agents.length === 0) return
  const copies = await rows.many(agents.map(({ agentId }) => agentId))
  const isKnown = ({ agentId, status, wallet, requireSignature }: AgentRow) => {
    const copy = copies.get(agentId)
    return copy?.status === status && copy.wallet === wallet && (copy.requireSignature ?? false) === requireSignature
  }
  await Promise.all(agents.filter(agent => !isKnown(agent)).map(agent => saveRow(rows, agent)))
}
