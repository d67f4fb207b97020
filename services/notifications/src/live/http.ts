import { type notificationsApi, refuseField } from '@carapace/api'
import { eventStream, type Handlers } from '@carapace/service'
import type { Owners } from '../owner.ts'
import type { LiveStreams } from './streams.ts'

export const liveHandlers = ({ live, ownerOf }: { live: LiveStreams; ownerOf: Owners }) =>
  ({
    streamEvents: async ({ query, caller, context, lastEventId }) => {
      const { type: types, agent, gig, job } = query
      if (gig !== undefined && job !== undefined) refuseField('job', 'excludes gig')
      const about = gig ?? job
      return eventStream(
        await live.open({
          ...(caller?.kind === 'agent' ? { viewer: caller.agentId } : {}),
          ...(context.ip === undefined ? {} : { ip: context.ip }),
          ...(types ? { types } : {}),
          ...(agent === undefined ? {} : { agentId: await ownerOf(agent) }),
          ...(about === undefined ? {} : { about }),
          ...(lastEventId === undefined ? {} : { lastEventId }),
        }),
      )
    },
  }) satisfies Handlers<typeof notificationsApi>
