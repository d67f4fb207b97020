import { doctorReport, sagaReport } from './core/doctor.ts'
import { serviceApi } from './core/service-api.ts'
import { consumes } from './swarm/consumes.ts'
import * as draws from './swarm/draws.ts'
import * as events from './swarm/events.ts'
import * as figures from './swarm/figures.ts'
import {
  announceValidations,
  getValidationRow,
  listGigJudgements,
  listGigValidations,
  listJobValidations,
  noteFunding,
  openValidation,
} from './swarm/internal.ts'
import * as validations from './swarm/validations.ts'

/** Validations, panels, votes, freeze signals, appeals, validator rewards. */
export const swarmApi = serviceApi('swarm', {
  endpoints: { ...validations, ...draws, ...figures },
  internal: {
    getValidationRow,
    listGigValidations,
    listGigJudgements,
    listJobValidations,
    openValidation,
    noteFunding,
    announceValidations,
    doctorReport,
    sagaReport,
  },
  events,
  consumes,
})
