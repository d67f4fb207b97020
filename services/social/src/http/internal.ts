import type { socialApi } from '@carapace/api'
import { doctorHandlers, type Handlers } from '@carapace/service'
import { checks } from '../doctor.ts'
import type { Parts } from '../parts.ts'

export const internalHandlers = (parts: Parts) =>
  ({
    countUnreadMessages: async ({ params }) => ({ count: (await parts.figures.get(params.id)).unread }),
    ...doctorHandlers(parts, checks),
  }) satisfies Handlers<typeof socialApi>
