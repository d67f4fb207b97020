import { type CommandKind, chainOutcome, type EventDef, type FollowedOutcome, type OutcomeName, type PublishedOutcome } from '@carapace/api'
import { on, type Subscription } from '../define.ts'

/** What follows each outcome of one kind of command. An outcome without an entry is not subscribed to. */
export type OutcomeHandlers = { readonly [Name in OutcomeName]?: (outcome: PublishedOutcome<Name>) => Promise<unknown> }

/** For `reorged` where the record does not change: from then on the relayer is polled for what follows, so that it rests on no message. */
export const onlyPolled = async (): Promise<void> => undefined

/** For a record that follows all of them in one way. @example onOutcomes({ 'swarm.vote': followedBy(outcome => follow(parts, outcome)) }) */
export const followedBy = (receive: (outcome: FollowedOutcome) => Promise<unknown>) => ({
  submitted: receive,
  confirmed: receive,
  failed: receive,
  reorged: receive,
})

/**
 * Subscribes to outcomes of commands. A failure reaches its handler only when it ends the round: any other one is about a refused message and
 * changes nothing.
 * @example onOutcomes({ 'score.sync': { confirmed: ({ opKey, txHash }) => endBatch(opKey, txHash), failed: ({ opKey }) => endBatch(opKey, null) } })
 */
export const onOutcomes = (table: { readonly [Kind in CommandKind]?: OutcomeHandlers }): Subscription[] =>
  Object.entries(table).flatMap(([kind, handlers]) =>
    Object.entries(handlers).map(([name, handle]) => {
      const is = name as OutcomeName
      return on(chainOutcome(kind)[is] as unknown as EventDef, async payload => {
        const outcome = { ...payload, is } as PublishedOutcome
        if (outcome.is === 'failed' && !outcome.terminal) return
        await (handle as (outcome: PublishedOutcome) => Promise<unknown>)(outcome)
      })
    }),
  )
