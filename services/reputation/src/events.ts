import { observedOutcome } from '@carapace/chain'
import { onOutcomes, type Subscription } from '@carapace/service'
import { agentEvents } from './events/agents.ts'
import { bondEvents } from './events/bonds.ts'
import { escrowEvents } from './events/escrows.ts'
import { jobEvents } from './events/jobs.ts'
import { socialEvents } from './events/social.ts'
import { voteEvents } from './events/votes.ts'
import type { Parts } from './parts.ts'
import { followSync } from './sync/sync.ts'

/** All facts about an agent that others publish, and the outcomes of the score's way to the chains. */
export const events = (parts: Parts): Subscription[] => [
  ...agentEvents(parts),
  ...escrowEvents(parts),
  ...jobEvents(parts),
  ...bondEvents(parts),
  ...voteEvents(parts),
  ...socialEvents(parts),
  ...onOutcomes({
    'score.sync': {
      confirmed: outcome => followSync(parts, outcome.opKey, outcome.network, observedOutcome(outcome)),
      failed: outcome => followSync(parts, outcome.opKey, outcome.network, observedOutcome(outcome)),
    },
  }),
]
