import { marketplaceApi } from '@carapace/api'
import { dueBy, eachDue, type Job } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from './parts.ts'
import { claimPolls } from './reward/claim-polls.ts'
import { payByTime } from './reward/pay-by-time.ts'
import { replaceCommands } from './validation/chain.ts'
import { decidedSweep } from './validation/decided.ts'
import { fundingPolls } from './validation/funding-polls.ts'
import { openForSubmission, submissionOf } from './validation/open.ts'
import { replaceIdle } from './validation/panel-changes.ts'
import { nextOpened, type Validation } from './validation/validation.ts'
import { closeWindow } from './verdict/verdict.ts'
import { decideKnowing } from './verdict/verdict-facts.ts'
import { verdictPolls } from './verdict/verdict-polls.ts'

const everyMs = 5_000
const batch = 100

/** Transitions by time alone. */
export const jobs = (parts: Parts): Job[] => [
  {
    name: 'validations that are due',
    everyMs,
    due: dueBy(parts.validations, 'dueAt'),
    run: async now => {
      const due = await parts.validations.find({ dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit: batch })
      await eachDue(parts.log, due, validation => advance(parts, validation, now))
    },
  },
  decidedSweep(parts),
  claimPolls(parts),
  fundingPolls(parts),
  verdictPolls(parts),
  { name: 'the list of candidates', everyMs: 600_000, run: now => parts.candidates.tend(now) },
  payByTime(parts),
]

async function advance(parts: Parts, validation: Stored<Validation>, now: Date): Promise<void> {
  if (validation.status === 'expired') return openSecondRound(parts, validation)
  if (validation.expiresAt <= now) {
    await decideKnowing(parts, validation.id, (present, facts) => closeWindow(present, facts, now))
    return
  }
  await replace(parts, validation)
}

/** After half the window those who have not voted give way to the next of the fixed order. */
async function replace(parts: Parts, validation: Stored<Validation>): Promise<void> {
  const onPanel = new Set(validation.panel.map(seat => seat.agentId))
  const next = validation.order.filter(entry => !onPanel.has(entry.agentId))
  const agents = await parts.agents.many(next.map(entry => entry.agentId))
  const substitutes = next.flatMap(({ agentId }) => {
    const agent = agents.get(agentId)
    return agent?.wallet && agent.status === 'active' ? [{ agentId, wallet: agent.wallet, replaced: false }] : []
  })
  await parts.validations.change(validation.id, present => {
    if (present.status !== 'pending' || present.replaceAt === null) return undefined
    const { decision, replacements } = replaceIdle(present, substitutes)
    return { state: decision.state, events: [...decision.events, ...replaceCommands(present, replacements)] }
  })
}

async function openSecondRound(parts: Parts, first: Stored<Validation>): Promise<void> {
  const gig = await parts.peers.call('marketplace', marketplaceApi.internal.getGigRow, { params: { id: first.gigId! } })
  const earlier = first.panel.map(seat => seat.agentId)
  if (!(await parts.decided.get(first.gigId!)))
    await openForSubmission(parts, submissionOf(gig), { id: first.nextValidationId!, round: 2, parent: first, earlier })
  await parts.validations.change(first.id, nextOpened)
}
