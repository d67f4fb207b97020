import { Refusal } from '@carapace/api'
import type { Decision, Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import type { Domain } from './domain.ts'

/** `mayLink`: no other name is the .molt name of the agent that gets this one. */
type Decide = (domain: Stored<Domain>, mayLink: boolean) => Decision<Domain> | undefined

/** Changes a name. Where the new owner's agent has a .molt name already, the change is decided again without that link. Undefined = nothing to do. */
export async function changeDomain({ domains }: Pick<Parts, 'domains'>, id: string, decide: Decide): Promise<Stored<Domain>> {
  try {
    return await domains.change(id, domain => decide(domain, true))
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'ALREADY_EXISTS')) throw error
    return domains.change(id, domain => decide(domain, false))
  }
}
