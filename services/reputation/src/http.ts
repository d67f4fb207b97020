import { doctorHandlers, mergeHandlers, sagaHandlers } from '@carapace/service'
import { conductHandlers } from './http/conduct.ts'
import { explainedHandlers } from './http/explained.ts'
import { scoreWithLogHandlers } from './http/score-with-log.ts'
import { scoreHandlers } from './http/scores.ts'
import { syncHandlers } from './http/sync.ts'

export const http = mergeHandlers(scoreHandlers, scoreWithLogHandlers, explainedHandlers, conductHandlers, syncHandlers, doctorHandlers, sagaHandlers)
