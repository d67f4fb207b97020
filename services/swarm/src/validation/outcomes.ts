import type { FollowedOutcome } from '@carapace/api'
import { followAfterMs, followOutcome, type ObservedOutcome, type OnChain, observedOutcome, operationParts } from '@carapace/chain'
import { followedBy, onOutcomes, type Subscription } from '@carapace/service'
import { type Decision, gatheredChanges } from '@carapace/store'
import type { Parts } from '../parts.ts'
import type { Validation } from './validation.ts'

/** What follows the commands that mirror validations on chain. */
export function chainOutcomes(parts: Parts): Subscription[] {
  // the opening and the first vote are often in one transaction
  const change = gatheredChanges(parts.validations)
  const each = (apply: Apply) =>
    followedBy(async outcome => {
      const [, validationId, subject = ''] = operationParts(outcome.opKey)
      // one that is unknown is not an error: the database may have been set back
      await change(validationId, v => apply(v, subject, shown(outcome)), followAfterMs(outcome))
    })
  return onOutcomes({ 'swarm.open': each(opened), 'swarm.replace': each(replaced), 'swarm.vote': each(voted) })
}

/** Clients of validations have always seen the message without its code. */
const shown = (outcome: FollowedOutcome): ObservedOutcome =>
  outcome.is === 'failed'
    ? { ...observedOutcome(outcome), is: 'failed', txHash: outcome.txHash ?? null, error: outcome.message }
    : observedOutcome(outcome)

/** `subject` is the part of the operation key after the validation: the wallet that voted or was replaced. */
type Apply = (v: Validation, subject: string, outcome: ObservedOutcome) => Decision<Validation> | undefined

const opened: Apply = (v, _, outcome) => changed(v.opening, outcome, opening => ({ ...v, opening }))

const replaced: Apply = (v, wallet, outcome) => {
  const seat = seatOf(v, wallet)
  return changed(seat?.replacement, outcome, replacement => ({
    ...v,
    panel: v.panel.map(entry => (entry === seat ? { ...entry, replacement } : entry)),
  }))
}

const voted: Apply = (v, wallet, outcome) => {
  const voterId = seatOf(v, wallet)?.agentId
  const vote = v.votes.find(entry => entry.voterId === voterId)
  return changed(vote, outcome, onChain => ({ ...v, votes: v.votes.map(entry => (entry === vote ? { ...entry, ...onChain } : entry)) }))
}

const seatOf = (v: Validation, wallet: string) => v.panel.find(seat => seat.wallet.toLowerCase() === wallet.toLowerCase())

function changed(current: OnChain | undefined, outcome: ObservedOutcome, apply: (next: OnChain) => Validation): Decision<Validation> | undefined {
  const next = current && followOutcome(current, outcome)
  return next && { state: apply(next), events: [] }
}
