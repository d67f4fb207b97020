import { agentNotices } from './notices/agents.ts'
import { domainNotices } from './notices/domains.ts'
import { escrowNotices } from './notices/escrow.ts'
import { gigNotices } from './notices/gigs.ts'
import { jobNotices } from './notices/jobs.ts'
import type { NoticeRule } from './notices/rule.ts'
import { socialNotices } from './notices/social.ts'
import { treasuryNotices } from './notices/treasury.ts'
import { validationNotices } from './notices/validations.ts'

/** All rules, by the service that publishes the event (behaviour 11). */
export const noticeRules: readonly NoticeRule[] = [
  ...agentNotices,
  ...gigNotices,
  ...validationNotices,
  ...escrowNotices,
  ...jobNotices,
  ...treasuryNotices,
  ...domainNotices,
  ...socialNotices,
]
