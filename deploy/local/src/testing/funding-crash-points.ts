import { processVariables } from '../config.ts'
import { installCrashPoints, type Steps } from './crash-points.ts'

/** What is written between a request for a job's budget, or for a name, and its end. A process that ends after one of them has not made the next. */
export type FundingPoint =
  | 'after the job was reserved'
  | 'after its funding was ordered'
  | 'after it was funded'
  | 'after its funding had failed'
  | 'after the name was reserved'
  | 'after its mint was ordered'
  | 'after it was registered'
  | 'after the name was free again'
  | 'after its money was set aside'
  | 'after its money was spent'
  | 'after its money was given back'

const steps: Steps<FundingPoint> = {
  jobs: [
    { by: 'updateOne', is: ({ funding }) => funding?.stage === 'reserving', points: [undefined, 'after the job was reserved'] },
    { by: 'updateOne', is: ({ funding }) => funding?.stage === 'sent', points: [undefined, 'after its funding was ordered'] },
    { by: 'updateOne', is: ({ status }) => status === 'funded', points: [undefined, 'after it was funded'] },
    { by: 'updateOne', is: ({ fundingFailure }) => Boolean(fundingFailure), points: [undefined, 'after its funding had failed'] },
  ],
  domains: [
    { by: 'insertOne', is: ({ status }) => status === 'funding', points: [undefined, 'after the name was reserved'] },
    { by: 'insertOne', is: ({ status }) => status === 'minting', points: [undefined, 'after its mint was ordered'] },
    { by: 'updateOne', is: ({ status }) => status === 'minting', points: [undefined, 'after its mint was ordered'] },
    { by: 'updateOne', is: ({ status }) => status === 'active', points: [undefined, 'after it was registered'] },
    { by: 'updateOne', is: ({ status }) => status === 'free', points: [undefined, 'after the name was free again'] },
  ],
  reservations: [
    { by: 'insertOne', is: ({ status }) => status === 'held', points: [undefined, 'after its money was set aside'] },
    { by: 'updateOne', is: ({ status }) => status === 'captured', points: [undefined, 'after its money was spent'] },
    { by: 'updateOne', is: ({ status }) => status === 'voided', points: [undefined, 'after its money was given back'] },
  ],
}

/** Names the file that holds the point at which a process ends itself, once. */
export const fundingPointVariable = 'FUNDING_CRASH_POINT_FILE'

// loaded by `--import` into processes as they are
const file = processVariables[fundingPointVariable]
if (file !== undefined) installCrashPoints(file, steps)
