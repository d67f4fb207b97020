import { type GigRow, marketplaceApi, refuse } from '@carapace/api'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { appealQuorum, majority, type Quorum, quorumFor } from '../selection/quorum.ts'
import { supersedeIfKnown } from './decided.ts'
import { decidedGigsName } from './decided-gig.store.ts'
import { endReplacedPanels } from './job-panels.ts'
import { type Drawn, drawOrder, seatDrawn } from './panel.ts'
import { type Appeal, newValidation, open, type Validation } from './validation.ts'

/** The facts of a submission, from the event or from the gig's owner. */
export interface Submission {
  /** Of a gig; null for a commerce job. */
  gigId: string | null
  jobId?: string | null
  /** Of the job: its version by this submission. */
  jobVersion?: number
  submissionId: string
  title: string
  posterId: string
  assigneeId: string
  memberIds: string[]
  applicantIds: string[]
  skillsRequired: string[]
  budget: bigint
  chain: Validation['chain']
}

export const submissionOf = (gig: GigRow): Submission => ({
  gigId: gig.gigId,
  submissionId: gig.submissionId!,
  title: gig.gigTitle,
  posterId: gig.posterId,
  assigneeId: gig.assigneeId!,
  memberIds: gig.memberIds,
  applicantIds: gig.applicantIds,
  skillsRequired: gig.skillsRequired,
  budget: BigInt(gig.budget),
  chain: gig.chain,
})

const minPanel = 3

/** Panel of an automatic opening: the quorum's numbers, all who are eligible if fewer, with fewer than three the oracle decides. */
function automatic(budget: bigint, eligible: number): Quorum & { oracleAssisted: boolean } {
  const wanted = quorumFor(budget)
  if (eligible >= wanted.candidateCount) return { ...wanted, oracleAssisted: false }
  const candidateCount = eligible
  return { candidateCount, threshold: majority(candidateCount), oracleAssisted: eligible < minPanel }
}

interface Opening {
  id?: string
  round?: 1 | 2
  parent?: Stored<Validation>
  earlier?: string[]
  /** Moment of a read that found no decision about it. */
  undecidedAt?: number
}

/** Opens the validation of a submission with the quorum of its budget. A second opening finds the first. */
export async function openForSubmission(parts: Parts, submission: Submission, options: Opening = {}): Promise<Stored<Validation>> {
  const [existing] = await parts.validations.find(caseOf(submission, options.round), { limit: 1 })
  return existing ?? openNew(parts, submission, options)
}

/** The same for a submission that was announced just now. Decided before that came here, there is nothing to judge. */
export async function openSubmitted(parts: Parts, submission: Submission): Promise<void> {
  const { gigId, jobId, jobVersion } = submission
  const decision = { _id: gigId ?? jobId, ...(jobVersion === undefined ? {} : { jobVersion: { $not: { $lt: jobVersion } } }) }
  const isDecided = { coll: decidedGigsName, pipeline: [{ $match: decision }, { $project: { _id: 1 } }] }
  const stages = [{ $match: caseOf(submission) }, { $project: { _id: 1 } }, { $unionWith: isDecided }, { $limit: 1 }]
  const undecidedAt = parts.decided.moment()
  const found = await parts.validations.collection.aggregate(stages).toArray()
  if (found.length === 0) await openNew(parts, submission, { undecidedAt })
}

const caseOf = ({ submissionId }: Submission, round = 1) => ({ submissionId, round, appealOf: null })

async function openNew(parts: Parts, submission: Submission, options: Opening): Promise<Stored<Validation>> {
  const { round = 1, parent, earlier = [] } = options
  const now = parts.clock.now()
  const ofCase = { submissionId: submission.submissionId, round, appealOf: null }
  const drawn = await drawOrder(parts, ofCase, { ...submission, earlier, excludedCrewsOf: [] }, now)
  const { candidateCount, threshold, oracleAssisted } = automatic(submission.budget, drawn.eligible)
  const id = options.id ?? parts.newId()
  const state = build(
    drawn,
    submission,
    { candidateCount, threshold },
    {
      id,
      round,
      parentValidationId: parent?.id ?? null,
      oracleAssisted,
      panel: seatDrawn(drawn, candidateCount),
    },
    now,
  )
  const opened = await create(parts, state)
  await supersedeIfKnown(parts, opened, options.undecidedAt)
  if (opened.jobId !== null) await endReplacedPanels(parts, opened.jobId)
  return opened
}

/**
 * Draws the fresh panel of an appeal.
 * @returns what makes its validation once it is filed; undefined when fewer than three may judge: the oracle decides then
 */
export async function drawAppeal(
  parts: Parts,
  first: Stored<Validation>,
  gig: GigRow,
): Promise<((id: string, appeal: Appeal) => Validation) | undefined> {
  const earlier = (await parts.validations.find({ gigId: first.gigId })).flatMap(validation => validation.panel.map(entry => entry.agentId))
  const submission = submissionOf(gig)
  const { submissionId } = submission
  const drawn = await drawOrder(
    parts,
    { submissionId, round: 1, appealOf: first.id },
    { ...submission, submissionId: `${submissionId}:appeal`, earlier, excludedCrewsOf: first.panel.map(entry => entry.agentId) },
    parts.clock.now(),
  )
  if (drawn.eligible < minPanel) return undefined
  const quorum = appealQuorum(drawn.eligible)
  const panel = seatDrawn(drawn, quorum.candidateCount)
  return (id, appeal) => {
    const given = { id, appealOf: first.id, appeal, firstWeak: first.weak, parentValidationId: first.id, panel }
    const built = build(drawn, submission, quorum, given, appeal.filedAt)
    return { ...built, weak: false, replaceAt: null, dueAt: built.expiresAt }
  }
}

function build(
  { eligible, order, record }: Drawn,
  submission: Submission,
  quorum: Quorum,
  given: Partial<Validation> & Pick<Validation, 'id' | 'panel'>,
  now: Date,
): Validation {
  const { gigId, jobId = null, jobVersion, submissionId, title, posterId, assigneeId, budget, chain } = submission
  const place = { gigId, jobId, ...(jobVersion === undefined ? {} : { jobVersion }) }
  const submitted = { ...place, submissionId, title, posterId, assigneeId, budget, chain }
  const drawn = { beacon: record.beacon, eligible, order, partyWallets: [...(record.partyWallets ?? [])] }
  return newValidation({ ...submitted, ...drawn, ...quorum, ...given }, now)
}

async function create(parts: Parts, validation: Validation): Promise<Stored<Validation>> {
  const { state, events } = open(validation)
  try {
    return await parts.validations.create(state, events)
  } catch (error) {
    const { submissionId, round, appealOf } = validation
    const winner = (await parts.validations.find({ submissionId, round, appealOf }, { limit: 1 }))[0]
    if (winner) return winner
    throw error
  }
}

/** The gig as its owner has it, ready to be validated. @throws INVALID_STATE */
export const needSubmitted = (parts: Parts, gigId: string): Promise<GigRow> => needGigIn(parts, gigId, ['pending_validation'])

/** The same for its owner, who polls: a party may have disputed what was delivered before the panel was drawn. @throws INVALID_STATE */
export async function needDelivered(parts: Parts, gigId: string): Promise<GigRow> {
  const allowed: GigRow['status'][] = ['pending_validation', 'disputed']
  const gig = await needGigIn(parts, gigId, allowed)
  // disputed before there was a delivery
  if (gig.submissionId === null) refuse('INVALID_STATE', { state: gig.status, allowed }, { message: 'Nothing was delivered' })
  return gig
}

/** The gig as its owner has it, undecided. @throws INVALID_STATE in another state, or when the escrow has decided already */
export async function needGigIn(parts: Parts, gigId: string, allowed: readonly GigRow['status'][]): Promise<GigRow> {
  const gig = await parts.peers.call('marketplace', marketplaceApi.internal.getGigRow, { params: { id: gigId } })
  const state = (await parts.decided.get(gigId)) ? 'decided' : gig.status
  if (state === 'decided' || !allowed.includes(gig.status))
    refuse('INVALID_STATE', { state, allowed: [...allowed] }, { message: `The gig is ${state}; this needs ${allowed.join(' or ')}` })
  return gig
}
