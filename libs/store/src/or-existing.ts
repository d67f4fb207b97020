import { Refusal } from '@carapace/api'

/**
 * A record that may exist once, by its id or another unique key: the one that is made, or the existing one. A refusal counts only when there is none,
 * so that a repeat answers as the first did, also when the first made the repeat impossible.
 * @throws what `made` refuses, and any other error of it
 * @example const receipt = await orExisting(receipts.create(state, events), () => receipts.ofGig(gigId))
 */
export async function orExisting<T>(made: Promise<T>, existing: () => Promise<T | undefined>): Promise<T> {
  try {
    return await made
  } catch (error) {
    const found = error instanceof Refusal ? await existing() : undefined
    if (found === undefined) throw error
    return found
  }
}
