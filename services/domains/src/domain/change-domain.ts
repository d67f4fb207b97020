import { Refusal } from '@carapace/api'
import type { Decision, Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import type { Domain } from './domain.ts'

/** `mayLink`: no other name is the .molt name of the agent that gets this one. */
type Decide = (domain: Stored<Domain>, mayLink: boolean) => Decision<Domain> | undefined

/**
 * Changes a name. Where the new owner's agent has a .molt name already, the change is decided again without that link; where another name has the place
 * that this one had, without it. Undefined = nothing to do.
 */
export async function changeDomain({ domains }: Pick<Parts, 'domains'>, id: string, decide: Decide): Promise<Stored<Domain>> {
  let mayLink = true
  const lost = new Set<string>()
  let wanted: string | undefined
  const decided = (domain: Stored<Domain>) => {
    const decision = withoutSlots(lost, decide(domain, mayLink))
    wanted = decision?.state.freeSlot
    return decision
  }
  for (;;)
    try {
      return await domains.change(id, decided)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'ALREADY_EXISTS' && mayLink) mayLink = false
      else if (error.code === 'CONFLICT' && wanted !== undefined && (await domains.holderOf(wanted))?.id !== id) lost.add(wanted)
      else throw error
    }
}

function withoutSlots(lost: ReadonlySet<string>, decision: Decision<Domain> | undefined): Decision<Domain> | undefined {
  if (!decision || lost.size === 0) return decision
  const { freeSlot, ...state } = decision.state
  return freeSlot === undefined || !lost.has(freeSlot) ? decision : { ...decision, state }
}
