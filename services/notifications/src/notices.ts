import { agentNotices } from './notices/agents.ts'
import { escrowNotices } from './notices/escrow.ts'
import { gigNotices } from './notices/gigs.ts'
import type { NoticeRule } from './notices/rule.ts'
import { treasuryNotices } from './notices/treasury.ts'
import { validationNotices } from './notices/validations.ts'

/** All rules, by the service that publishes the event (behaviour 11). */
export const noticeRules: readonly NoticeRule[] = [...agentNotices, ...gigNotices, ...validationNotices, ...escrowNotices, ...treasuryNotices]
