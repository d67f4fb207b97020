import type { reputationApi } from '@carapace/api'
import { type Handlers, unlessRefused } from '@carapace/service'
import { needScore } from '../lookup.ts'
import type { Parts } from '../parts.ts'
import { entryView, riskView } from './conduct.ts'
import { reputationView } from './scores.ts'

export const scoreWithLogHandlers = (parts: Parts) =>
  ({
    getScoreWithLog: async ({ params: { agentId }, query }) => {
      const [doc, entries] = await Promise.all([unlessRefused(needScore(parts, agentId)), parts.audit.newest(agentId, query.entries)])
      const events = entries.map(entry => entryView(entry, doc?.handle))
      return doc ? { reputation: reputationView(doc), risk: riskView(doc), events } : { events }
    },
  }) satisfies Handlers<typeof reputationApi>
