import { refuse, type swarmApi } from '@carapace/api'
import type { Handlers } from '@carapace/service'
import type { Parts } from '../parts.ts'
import type { ReadCandidate } from '../selection/draw.store.ts'

const readView = ({
  place,
  agentId,
  score,
  risk,
  lastSeenAt,
  registeredAt,
  openVotes,
  hasRequiredSkill,
  judgement,
  crewIds,
  tied,
  isEligible,
}: ReadCandidate) => ({
  place,
  agentId,
  score,
  risk,
  lastSeenAt: lastSeenAt.toISOString(),
  registeredAt: registeredAt.toISOString(),
  openVotes,
  hasRequiredSkill,
  ...(judgement === undefined ? {} : { judgement }),
  crewIds: [...crewIds],
  tied,
  isEligible,
})

export const drawHandlers = (parts: Parts) =>
  ({
    getDraw: async ({ params }) => {
      const validation = await parts.validations.need(params.id)
      const draw = (await parts.draws.get(validation)) ?? refuse('NOT_FOUND', { resource: 'draw' })
      const { submissionId, headHash: blockHash, salt, beacon, listVersion, listSize, drawnAt, requiredSkills, read } = draw
      return {
        ...{ validationId: validation.id, submissionId, blockHash, ...(salt === undefined ? {} : { salt }), beacon },
        ...{ listVersion, listSize, drawnAt: drawnAt.toISOString() },
        requiredSkills: [...requiredSkills],
        read: read.map(readView),
        order: validation.order.map(({ agentId }) => agentId),
      }
    },

    listCandidateChanges: async ({ query: { place, untilVersion, ...page } }) => {
      const { items, total } = await parts.candidates.changes({ place, untilVersion }, page)
      return { changes: items.map(change => ({ ...change, at: change.at.toISOString() })), total, ...page }
    },
  }) satisfies Handlers<typeof swarmApi>
