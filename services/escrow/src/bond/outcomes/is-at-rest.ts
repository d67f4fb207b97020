import type { Bond } from '../bond.ts'

/** Nothing is under way, and what we caused is in a final block: then the figures of the bond are those of its contract in that block. */
export function isAtRest({ moves, locks, done }: Pick<Bond, 'moves' | 'locks' | 'done'>, finalBlock: number): boolean {
  const isFinal = (one: Bond['done'][number]) => !('move' in one) || (one.move.onChain.blockNumber ?? Number.POSITIVE_INFINITY) <= finalBlock
  return moves.length === 0 && locks.every(({ stage }) => stage === 'locked') && done.every(isFinal)
}
