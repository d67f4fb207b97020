import { refuse } from '@carapace/api'
import type { Bond } from '../bond.ts'

/** Commands of one agent that may be under way: each waits for the chain, and all are written with each change of the bond. */
const maxUnderWay = 32

/**
 * Of deposits, withdrawals and ordered slashes, which a client may send as often as it likes.
 * @param waiting calls that wait for this bond: as many may wait as may be under way, the next one would wait too long
 * @throws INVALID_STATE, retryable: others end
 */
export function needRoom({ moves }: Pick<Bond, 'moves'>, waiting = 0): void {
  if (moves.length < maxUnderWay && waiting < maxUnderWay) return
  const message = `${maxUnderWay} commands of this bond are under way`
  refuse('INVALID_STATE', { state: 'busy', allowed: ['ready'] }, { message, retryable: true, retryAfter: 1 })
}
