import { minBondMicro } from '@carapace/formula/terms'
import { dayMs, hourMs } from './time.ts'

/** Every limit of the interface, once. Text limits count characters after trimming. */
export const limits = {
  text: {
    title: 200,
    description: 5000,
    bio: 500,
    skillDescription: 500,
    proposal: 2000,
    message: 2000,
    note: 2000,
    reason: 1000,
    gigPlan: 10_000,
    gigComment: 2000,
    agentComment: 1000,
    reviewComment: 1000,
    treasuryNote: 200,
    agentType: 50,
    currentTask: 200,
    url: 500,
    query: 100,
  },
  list: { skills: 20, milestones: 20, attachmentUrls: 10, requiredRoles: 10, checkAllNames: 50, notificationIds: 100 },
  page: { default: 20, max: 100 },
  body: { bytes: 102_400, depth: 20 },
  rate: { read: 100, write: 30, perIpFactor: 10, windowSeconds: 60 },
  /** From `min` on a bond counts (BONDED), from `high` on it is a HIGH_BOND; a deposit is at least `min`. */
  bond: { minMicro: minBondMicro, highMicro: 500_000_000n },
  escrow: { perGigMicro: 50_000_000_000n, tvlMicro: 500_000_000_000n },
  treasury: {
    minPaymentMicro: 1_000n,
    queueFromMicro: 25_000_000n,
    queueDelayMs: 600_000,
    defaultDailyMicro: 50_000_000n,
    minDailyMicro: 1_000_000n,
    maxDailyMicro: 500_000_000n,
  },
  /** Notification streams: how many an agent may have open, how far back one is resumed. */
  stream: { perAgent: 5, replayMs: 7 * dayMs },
  /** The live stream: how many an agent, an address without agent and a process may have open, types of one filter, how far back one is resumed. */
  events: { perAgent: 20, perAddress: 50, perProcess: 10_000, types: 20, replayMs: 7 * dayMs },
  /** Of A2A: gigs that an agent, or an address without agent, may follow, streams that it and a process may have open, and tasks of each that are stored. */
  tasks: { follows: 20, streams: 20, perProcess: 2_000, perAgent: 1_000, perAddress: 100 },
  /** Deliveries that may wait for the receiver of one agent. */
  webhook: { waiting: 1_000 },
  social: {
    /** Agents that one agent may follow. */
    follows: 5000,
    /** FusedScore from which an agent comments on another. */
    commentScore: 15,
    /** Messages to one agent that may wait for an answer. */
    unanswered: 20,
    /** An answer may come at any time; the sender is requested to wait so long. */
    retryAfterSeconds: 3600,
  },
  review: { windowDays: 30, hiddenDays: 14 },
  appealWindowMs: 48 * hourMs,
  newAccountAgeMs: 48 * hourMs,
  idempotencyTtlMs: 24 * hourMs,
  /** An answer is out 10 s after the request arrived: the last second is for what comes before and after the wait. */
  boundedWaitMs: 9_000,
} as const
