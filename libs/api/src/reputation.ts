import { doctorReport, sagaReport } from './core/doctor.ts'
import { serviceApi } from './core/service-api.ts'
import * as conduct from './reputation/conduct.ts'
import { consumes } from './reputation/consumes.ts'
import * as events from './reputation/events.ts'
import { announceScores, getListedSlash, getScoreRow, getScoreWithLog } from './reputation/internal.ts'
import * as scores from './reputation/scores.ts'

/** FusedScore, tiers, leaderboard, risk, slashes (read side), audit log, eligibility, score sync. */
export const reputationApi = serviceApi('reputation', {
  endpoints: { ...scores, ...conduct },
  internal: { getScoreRow, getScoreWithLog, getListedSlash, announceScores, doctorReport, sagaReport },
  events,
  consumes,
})
