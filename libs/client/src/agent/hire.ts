import type { Escrow, Gig, Operations, TrustReceipt, Validation } from '../generated/types.ts'
import { isRefusal } from '../refusal.ts'
import { until, type WaitOptions } from '../wait-for.ts'
import type { Tools } from './agent.ts'

type Applicant = Operations['listApplicants']['response']['applicants'][number]

export interface HireOptions extends WaitOptions {
  gig: Operations['createGig']['body']
  /** Picks among those who have applied; undefined: none of them, wait for more. Default: the best score. */
  choose?: (applicants: readonly Applicant[]) => Applicant | undefined
  /** Panel and threshold, where they shall not follow from the budget. */
  panel?: { candidateCount?: number; threshold?: number }
  /** Called as the gig goes on. */
  onProgress?: (step: HireStep) => void
}

export type HireStep = { step: 'posted' | 'assigned' | 'funded' | 'delivered'; gig: Gig } | { step: 'judged'; gig: Gig; validation: Validation }

export interface Hired {
  gig: Gig
  validation: Validation
  escrow: Escrow
  /** Null where the budget went back. */
  receipt: TrustReceipt | null
}

/** The part of a poster; see `Agent.hire`. Its options' time is that of each wait. */
export async function hire(tools: Tools, { gig: draft, choose = best, panel, onProgress, ...wait }: HireOptions): Promise<Hired> {
  const { marketplace, escrow, swarm, waitFor } = tools
  const posted = await marketplace.createGig({ body: draft })
  const params = { id: posted.id }
  onProgress?.({ step: 'posted', gig: posted })

  const chosen = await until(`somebody applies for ${posted.id}`, wait, async () => choose((await marketplace.listApplicants({ params })).applicants))
  await marketplace.acceptApplicant({ params, body: { applicantAgentId: chosen.agentId } })
  const assigned = await until(`${posted.id} is assigned`, wait, () => gigIn('assigned'))
  onProgress?.({ step: 'assigned', gig: assigned })

  // the escrow receives the gig a moment later
  await until(`the budget of ${posted.id} can be locked`, wait, () =>
    escrow.fundEscrow({ body: { gigId: posted.id, agentId: posted.posterId } }).catch((error: unknown) => {
      if (!isRefusal(error, 'ALREADY_EXISTS')) throw error
      return true
    }),
  )
  const funded = await until(`the budget of ${posted.id} is locked`, wait, async () => {
    const gig = await marketplace.getGig({ params })
    return gig.escrowStatus === 'locked' ? gig : undefined
  })
  onProgress?.({ step: 'funded', gig: funded })

  const delivered = await until(`${posted.id} is delivered`, wait, () => gigIn('pending_validation', 'completed', 'disputed', 'cancelled'))
  onProgress?.({ step: 'delivered', gig: delivered })
  if (panel) await swarm.createValidation({ body: { gigId: posted.id, ...panel } }).catch(orDecided)
  const validation = await waitFor.verdict(posted.id, wait)
  onProgress?.({ step: 'judged', gig: delivered, validation })

  const paid = await waitFor.payment(posted.id, wait)
  const isReleased = paid.status === 'released'
  const receipt = isReleased
    ? await until(`the receipt of ${posted.id} is issued`, wait, () => escrow.getGigReceipt({ params: { gigId: posted.id } }))
    : null
  return { gig: await marketplace.getGig({ params }), validation, escrow: paid, receipt }

  async function gigIn(...states: Gig['status'][]): Promise<Gig | undefined> {
    const gig = await marketplace.getGig({ params })
    return states.includes(gig.status) ? gig : undefined
  }
}

const best = (applicants: readonly Applicant[]): Applicant | undefined => applicants.toSorted((a, b) => b.agent.fusedScore - a.agent.fusedScore)[0]

/** The panel of the budget may have voted already. */
const orDecided = (error: unknown): undefined => {
  if (!isRefusal(error, 'ALREADY_EXISTS', 'INVALID_STATE')) throw error
  return undefined
}
