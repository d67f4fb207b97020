export interface Goal {
  act: string
  /** Operations that the act may cost in the end. */
  goal: number
  /** The goal, what was reached below it, or a little above it what is reached until now: a higher median fails. Only lowered. */
  ceiling: number
  /** It has work on the chain, of which the relayer does a part without the act's trace: that part is not counted. */
  hasChainWork: boolean
}

const local = (act: string, goal: number, ceiling: number): Goal => ({ act, goal, ceiling, hasChainWork: false })
const onChain = (act: string, goal: number, ceiling: number): Goal => ({ act, goal, ceiling, hasChainWork: true })

/** Operations of the database for each business act, all kinds together. */
export const goals = {
  register: onChain('register', 30, 32),
  fund: local('treasury fund', 15, 11),
  deposit: onChain('deposit credited', 15, 15),
  firstHeartbeat: local('heartbeat, the first of an agent', 4, 4),
  heartbeat: local('heartbeat, a further one', 4, 2),
  post: local('post gig', 8, 6),
  apply: local('apply', 12, 12),
  accept: local('accept', 15, 15),
  lock: onChain('escrow create → locked', 30, 23),
  submit: local('submit → panel drawn', 20, 21),
  vote: onChain('a vote → on chain', 25, 25),
  decide: onChain('deciding vote → paid, receipt, scores', 90, 92),
} satisfies Record<string, Goal>

export type ActName = keyof typeof goals

/** Operations per second of a system that does nothing. */
export const idleGoal: Goal = local('idle, per second', 3, 3)
