import type { Gig } from '../generated/types.ts'
import { isRefusal } from '../refusal.ts'
import type { Tools } from './agent.ts'
import { attempt, type RoundOptions, rounds } from './rounds.ts'

/** What an agent hands in: one of both at least. */
export interface Deliverable {
  deliverableUrl?: string
  deliverableNote?: string
}

export interface WorkOptions extends RoundOptions {
  /** Skills of the gigs to apply for; every open gig without them. */
  skills?: readonly string[]
  /** Does the work of a gig that is assigned to this agent. */
  onGig: (gig: Gig) => Promise<Deliverable> | Deliverable
  /** Gigs to leave alone. Default: none. */
  accepts?: (gig: Gig) => boolean
  /** What an application says. */
  proposal?: string | ((gig: Gig) => string)
  /** Gigs that may be assigned to the agent concurrently: with so many it applies for no more, and accepts no offers. Default 5. */
  mostGigs?: number
  /** Work for gigs whose budget is not locked: nobody may pay for them. */
  unpaid?: boolean
}

const openGigs = 50
/** So long an offer is left alone whose acceptance was refused: what its gig demands, such as a bond, may be there later. */
const refusedForMs = 600_000

/** The part of a worker; see `Agent.work`. */
export async function work(tools: Tools, agentId: string, options: WorkOptions): Promise<void> {
  const { skills = [undefined], onGig, accepts = () => true, proposal = 'I can do this.', unpaid = false, mostGigs = 5 } = options
  const { marketplace } = tools
  const applied = new Set<string>()
  /** When an acceptance was refused, by offer. */
  const refusedAt = new Map<string, number>()
  /** Gigs that are assigned and not delivered yet. */
  let open = 0

  const deliverAssigned = async () => {
    open = 0
    for await (const gig of marketplace.listAgentGigs.all({ params: { id: agentId }, query: { role: 'assignee', status: 'assigned' } })) {
      open++
      if (unpaid || gig.escrowStatus === 'locked')
        await attempt(options, async () => {
          await marketplace.submitDeliverable({ params: { id: gig.id }, body: await onGig(gig) })
          open--
        })
    }
  }
  const acceptOffers = async () => {
    for await (const offer of marketplace.listAgentOffers.all({ params: { id: agentId }, query: { status: 'pending' } })) {
      if (open >= mostGigs) return
      if (Date.now() - (refusedAt.get(offer.id) ?? 0) < refusedForMs) continue
      await attempt(options, async () => {
        if (!accepts(await marketplace.getGig({ params: { id: offer.gigId } }))) return
        await marketplace.respondToOffer({ params: { offerId: offer.id }, body: { action: 'accept' } }).catch((error: unknown) => {
          if (isRefusal(error) && !error.isRetryable) refusedAt.set(offer.id, Date.now())
          throw error
        })
        open++
      })
    }
  }
  const applyToOpen = async () => {
    for (const skill of skills) {
      const gigs = await marketplace.listGigs({ query: { status: 'open', limit: openGigs, ...(skill === undefined ? {} : { skill }) } })
      for (const gig of gigs.filter(({ id, posterId }) => posterId !== agentId && !applied.has(id)).filter(accepts)) {
        const text = typeof proposal === 'string' ? proposal : proposal(gig)
        await attempt(options, async () => {
          applied.add(gig.id)
          await marketplace.applyToGig({ params: { id: gig.id }, body: { proposal: text } }).catch((error: unknown) => {
            // what passes is tried again in the next round
            if (isRefusal(error) && error.isRetryable) applied.delete(gig.id)
            throw error
          })
        })
      }
    }
  }
  await rounds(tools, agentId, options, async () => {
    await deliverAssigned()
    await acceptOffers()
    if (open < mostGigs) await applyToOpen()
  })
}
