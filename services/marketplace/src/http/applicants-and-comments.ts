import type { marketplaceApi } from '@carapace/api'
import type { Handlers } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { applicationView } from '../views.ts'
import { commentViews, shownComments } from './collaboration.ts'
import { applicantView } from './hiring.ts'

export const applicantsAndCommentsHandlers = (parts: Parts) =>
  ({
    listApplicantsAndComments: async ({ params: { id }, query }) => {
      const [applications, comments] = await Promise.all([
        parts.applications.find({ gigId: id }, { limit: query.applicants }),
        parts.comments.find(shownComments(id, { toParty: false }), { limit: query.comments }),
      ])
      const agents = await parts.agents.many([...new Set([...applications, ...comments].map(({ agentId }) => agentId))])
      const applicants = applications.map(application => ({ ...applicationView(application), agent: applicantView(application.agentId, agents) }))
      return { applicants, comments: commentViews(comments, agents) }
    },
  }) satisfies Handlers<typeof marketplaceApi>
