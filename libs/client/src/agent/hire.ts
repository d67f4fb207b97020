import type { Escrow, Gig, Operations, TrustReceipt, Validation } from '../generated/types.ts'
import { isRefusal } from '../refusal.ts'
import { ended, until, type WaitOptions } from '../wait-for.ts'
import type { Tools } from './agent.ts'

type Applicant = Operations['listApplicants']['response']['applicants'][number]

interface HireParts extends WaitOptions {
  /** Picks among those who have applied; undefined: none of them, wait for more. Default: the best score. */
  choose?: (applicants: readonly Applicant[]) => Applicant | undefined
  /** Panel and threshold, where they shall not follow from the budget. */
  panel?: { candidateCount?: number; threshold?: number }
  /** Called as the gig goes on; not for what an earlier run has done. */
  onProgress?: (step: HireStep) => void
}

interface NewGig {
  gig: Operations['createGig']['body']
  /** Of the posting: a program that runs again within 24 h goes on with the gig that it has posted under the same key. */
  idempotencyKey?: string
  gigId?: undefined
}

interface KnownGig {
  /** A gig of the caller's that is posted already, by an earlier run for instance: it goes on from where it is. */
  gigId: string
  gig?: undefined
}

export type HireOptions = HireParts & (NewGig | KnownGig)

export type HireStep = { step: 'posted' | 'assigned' | 'funded' | 'delivered'; gig: Gig } | { step: 'judged'; gig: Gig; validation: Validation }

export interface Hired {
  gig: Gig
  validation: Validation
  escrow: Escrow
  /** Null where the budget went back. */
  receipt: TrustReceipt | null
}

/** The part of a poster; see `Agent.hire`. Its options' time is that of each wait. What the gig's state shows as done is not done again. */
export async function hire(tools: Tools, options: HireOptions): Promise<Hired> {
  const { marketplace, escrow, swarm, waitFor } = tools
  const { panel, onProgress } = options
  const wait: WaitOptions = options
  let gig = await begun(tools, options)
  const params = { id: gig.id }
  const wasDelivered = isDelivered(gig)
  if (gig.status === 'open') {
    if (options.gigId === undefined) onProgress?.({ step: 'posted', gig })
    gig = await assigned(tools, gig, options)
    onProgress?.({ step: 'assigned', gig })
  }
  if (gig.escrowStatus === 'none' && (gig.status === 'assigned' || gig.status === 'pending_validation')) {
    gig = await funded(tools, gig, wait)
    onProgress?.({ step: 'funded', gig })
  }
  if (!wasDelivered) {
    gig = await until(`${gig.id} is delivered`, wait, () => gigThat(tools, params.id, isDelivered))
    onProgress?.({ step: 'delivered', gig })
  }
  if (panel && gig.status === 'pending_validation') await swarm.createValidation({ body: { gigId: gig.id, ...panel } }).catch(orDecided)
  const validation = await waitFor.verdict(gig.id, wait)
  onProgress?.({ step: 'judged', gig, validation })

  const paid = await waitFor.payment(gig.id, wait)
  const isReleased = paid.status === 'released'
  const receipt = isReleased
    ? await until(`the receipt of ${gig.id} is issued`, wait, () => escrow.getGigReceipt({ params: { gigId: params.id } }))
    : null
  return { gig: await marketplace.getGig({ params }), validation, escrow: paid, receipt }
}

async function begun({ marketplace }: Tools, { gig, gigId, ...options }: HireOptions): Promise<Gig> {
  const key = 'idempotencyKey' in options ? options.idempotencyKey : undefined
  const id = gigId ?? (await marketplace.createGig({ body: gig!, ...(key === undefined ? {} : { idempotencyKey: key }) })).id
  // what was posted earlier may have changed since
  return marketplace.getGig({ params: { id } })
}

/** Accepts an applicant, unless an offer is accepted first; another one where the platform refuses the one that was chosen. */
async function assigned(tools: Tools, { id }: Gig, { choose = best, ...wait }: HireParts): Promise<Gig> {
  const refused = new Set<string>()
  const findApplicant = async () => {
    if (await gigThat(tools, id, ({ status }) => status !== 'open')) return 'nobody'
    const applicants: Applicant[] = []
    for await (const applicant of tools.marketplace.listApplicants.all({ params: { id } }))
      if (!refused.has(applicant.agentId)) applicants.push(applicant)
    return choose(applicants)
  }
  for (;;) {
    const chosen = await until(`somebody applies for ${id}`, wait, findApplicant)
    if (chosen === 'nobody' || (await isAccepted(tools, id, chosen.agentId))) break
    refused.add(chosen.agentId)
  }
  return until(`${id} is assigned`, wait, () => gigThat(tools, id, ({ status }) => status !== 'open'))
}

/** False where the gig is open and the platform refuses the applicant: anyone may apply, also without the bond that it demands. */
async function isAccepted({ marketplace, identity }: Tools, id: string, applicantAgentId: string): Promise<boolean> {
  try {
    await marketplace.acceptApplicant({ params: { id }, body: { applicantAgentId } })
    return true
  } catch (error) {
    if (isRefusal(error, 'INVALID_STATE')) return error.isRetryable || (await marketplace.getGig({ params: { id } })).status !== 'open'
    if (isRefusal(error, 'CREW_NOT_ELIGIBLE', 'INSUFFICIENT_BOND', 'RISK_TOO_HIGH')) return false
    // the account may be that of the poster as well
    if (isRefusal(error, 'ACCOUNT_SUSPENDED') && (await identity.getAgent({ params: { id: applicantAgentId } })).status !== 'active') return false
    throw error
  }
}

async function funded(tools: Tools, { id: gigId, posterId }: Gig, wait: WaitOptions): Promise<Gig> {
  // the escrow receives the gig a moment later
  await until(`the budget of ${gigId} can be locked`, wait, () =>
    tools.escrow.fundEscrow({ body: { gigId, agentId: posterId } }).catch((error: unknown) => {
      if (!isRefusal(error, 'ALREADY_EXISTS')) throw error
      return true
    }),
  )
  return until(`the budget of ${gigId} is locked`, wait, () => gigThat(tools, gigId, ({ escrowStatus }) => escrowStatus !== 'none'))
}

/** Undefined while it is not so. @throws Error named EndedError where it will never be, because the gig was cancelled before anybody delivered */
async function gigThat({ marketplace }: Tools, id: string, is: (gig: Gig) => boolean): Promise<Gig | undefined> {
  const gig = await marketplace.getGig({ params: { id } })
  if (gig.status === 'cancelled' && gig.validationId === null) throw ended(`the gig ${id} was cancelled (${gig.closeReason}) before it was delivered`)
  return is(gig) ? gig : undefined
}

const isDelivered = ({ status }: Gig): boolean => status !== 'open' && status !== 'assigned'

const best = (applicants: readonly Applicant[]): Applicant | undefined => applicants.toSorted((a, b) => b.agent.fusedScore - a.agent.fusedScore)[0]

/** The panel of the budget may have voted already. */
const orDecided = (error: unknown): undefined => {
  if (!isRefusal(error, 'ALREADY_EXISTS', 'INVALID_STATE')) throw error
  return undefined
}
