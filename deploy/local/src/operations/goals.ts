export interface Goal {
  act: string
  /** Operations that the act may cost. */
  goal: number
  /** The goal, or what was reached below it: a median above it fails. Only lowered. */
  ceiling: number
  /** It has work on the chain, of which the relayer does a part without the act's trace: that part is not counted. */
  hasChainWork: boolean
}

const local = (act: string, goal: number, ceiling = goal): Goal => ({ act, goal, ceiling, hasChainWork: false })
const onChain = (act: string, goal: number, ceiling = goal): Goal => ({ act, goal, ceiling, hasChainWork: true })

/** Operations of the database for each business act, all kinds together. */
export const goals = {
  register: onChain('register', 30),
  fund: local('treasury fund', 15),
  deposit: onChain('deposit credited', 15),
  firstHeartbeat: local('heartbeat, the first of an agent', 4),
  heartbeat: local('heartbeat, a further one', 4, 2),
  dailyHeartbeat: local('heartbeat, the first of a later day', 4),
  post: local('post gig', 8, 6),
  apply: local('apply', 12),
  accept: local('accept', 15),
  lock: onChain('escrow create → locked', 30, 23),
  submit: local('submit → panel drawn', 20),
  vote: onChain('a vote → on chain', 25),
  decide: onChain('deciding vote → paid, receipt, scores', 90),
} satisfies Record<string, Goal>

export type ActName = keyof typeof goals

/** Operations per second of a system that does nothing. */
export const idleGoal: Goal = local('idle, per second', 3)
