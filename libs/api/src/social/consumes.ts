import { agentFacts } from '../agent-facts.ts'
import { jobCorrected, jobSettled } from '../commerce/events.ts'
import { escrowReleased, escrowRestated } from '../escrow/events.ts'
import { offerAnswered } from '../marketplace/events.ts'

/** What the social service subscribes to. */
export const consumes = [...agentFacts, offerAnswered, escrowReleased, escrowRestated, jobSettled, jobCorrected]
