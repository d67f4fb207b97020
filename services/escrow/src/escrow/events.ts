import * as api from '@carapace/api'
import { Retry } from '@carapace/bus'
import { on, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { createEscrow, recordFact } from './change-escrow.ts'
import type { GigTerms } from './escrow.ts'
import { ofValidation, openAppeal, verdictEvents } from './verdict-events.ts'

type GigFacts = { gigId: string; gigTitle: string; posterId: string; budget: bigint; chain: api.Chain; skillsRequired?: string[] }
const ofGig = ({ gigId, gigTitle, posterId, budget, chain, skillsRequired }: GigFacts): GigTerms => ({
  gigId,
  gigTitle,
  posterId,
  amount: budget,
  chain,
  ...(skillsRequired ? { skillsRequired } : {}),
})

/**
 * The wallet that will be paid; null where the assignee has lost it to its owner meanwhile, for good: nobody is paid then, and the gig ends by its
 * deadline. An assignee that nobody has announced yet is waited for.
 */
async function walletOf({ agents }: Parts, agentId: string): Promise<string | null> {
  const agent = await agents.need(agentId).catch((error: unknown) => {
    if (error instanceof api.Refusal) throw new Retry(`the assignee ${agentId} is not known yet`)
    throw error
  })
  return agent.wallet
}

/** Facts about a gig, in any order: each is recorded once, then the escrow does what all of them together demand. */
export const escrowFacts = (parts: Parts): Subscription[] => [
  on(api.gigPosted, async gig => {
    const { skillsRequired } = await createEscrow(parts, ofGig(gig))
    // made by another fact about the gig, which knew no skills
    if (skillsRequired.length < gig.skillsRequired.length)
      await recordFact(parts, ofGig(gig), present => (present.skillsRequired.length ? undefined : { skillsRequired: gig.skillsRequired }))
  }),
  on(api.gigAssigned, async gig => {
    const { assigneeId, crewId, feeBp, deadlineAt, skillsRequired } = gig
    const wallet = await walletOf(parts, assigneeId)
    if (wallet === null) return
    const assignment = { assigneeId, wallet, crewId, feeBp, deadlineAt: new Date(deadlineAt) }
    await recordFact(parts, ofGig(gig), escrow => (escrow.assignment ? undefined : { assignment, skillsRequired }))
  }),
  on(api.gigSubmitted, gig =>
    recordFact(parts, ofGig(gig), escrow =>
      escrow.delivery ? undefined : { delivery: { submissionId: gig.submissionId, url: gig.deliverableUrl, at: new Date(gig.submittedAt) } },
    ),
  ),
  on(api.gigCancelled, gig =>
    recordFact(parts, ofGig(gig), escrow => {
      // what ends after the delivery ended by our own decision
      if (escrow.cancelled || (gig.from !== 'open' && gig.from !== 'assigned')) return undefined
      return { cancelled: { reason: gig.reason, at: new Date(gig.cancelledAt) } }
    }),
  ),
  on(api.validationOpened, (validation, event) => panelSeen(parts, validation, event.aggregateversion)),
  on(api.panelChanged, (validation, event) => panelSeen(parts, validation, event.aggregateversion)),
  ...verdictEvents(parts),
  on(api.appealFiled, async ({ gigId, ...appeal }, { time }) => {
    if (gigId === null) return
    const { appealId, oracleAssisted, expiresAt } = appeal
    await recordFact(parts, ofValidation({ ...appeal, gigId }), escrow =>
      escrow.appeal ? undefined : { appeal: { ...openAppeal(appealId, new Date(time), new Date(expiresAt)), oracleAssisted } },
    )
  }),
]

type Panel = api.PayloadOf<typeof api.panelChanged | typeof api.validationOpened>

async function panelSeen(parts: Parts, validation: Panel, version: number): Promise<void> {
  const { gigId, validationId, oracleAssisted, appealOf } = validation
  if (gigId === null || appealOf !== null) return
  await recordFact(parts, ofValidation({ ...validation, gigId }), ({ panel }) =>
    // a second round has a later id (UUIDv7 rises with time)
    panel && (panel.validationId > validationId || (panel.validationId === validationId && panel.version >= version))
      ? undefined
      : { panel: { validationId, oracleAssisted, version } },
  )
}
