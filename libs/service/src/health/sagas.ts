import { sagasShown } from '@carapace/api'
import type { Platform } from '../define.ts'

/**
 * The handler of `sagaReport`, for a service that awaits outcomes of the chain.
 * @example http: mergeHandlers(gigHandlers, sagaHandlers)
 */
export const sagaHandlers = ({ outcomes }: Pick<Platform, 'outcomes'>) => ({
  sagaReport: async () => {
    const waiting = [...(await outcomes.awaits())].sort((a, b) => a.since.getTime() - b.since.getTime())
    const sagas = waiting.slice(0, sagasShown).map(({ since, ...rest }) => ({ ...rest, since: since.toISOString() }))
    return { sagas, total: waiting.length }
  },
})
