import { agentFacts } from '../agent-facts.ts'
import { chainEvent, chainEventRemoved, watchedContractEvents } from '../chain-relayer/events.ts'
import { outcomesOf } from '../chain-relayer/outcomes.ts'
import { validationExpired, validationOpened, validationResolved } from '../swarm/events.ts'
import { treasurySnapshot, walletCreated } from '../treasury/events.ts'
import { jobCorrected, jobSettled } from './events.ts'

/** What the commerce service subscribes to. */
export const consumes = [
  ...agentFacts,
  walletCreated,
  treasurySnapshot,
  ...outcomesOf(['job.create', 'job.fund', 'job.assign', 'job.submit', 'job.settle', 'job.dispute'], ['submitted', 'confirmed', 'failed', 'reorged']),
  ...watchedContractEvents.Commerce.map(name => chainEvent('Commerce', name)),
  chainEventRemoved,
  validationOpened,
  validationResolved,
  validationExpired,
  jobSettled,
  jobCorrected,
]
