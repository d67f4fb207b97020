import { chainCommandConfirmed, chainCommandFailed, chainCommandReorged, chainCommandSubmitted } from '@carapace/api'
import { operationParts } from '@carapace/chain'
import { on, type Subscription } from '@carapace/service'
import type { Decision } from '@carapace/store'
import { follow, type Observed, type OnChain } from './on-chain.ts'
import type { Parts } from './parts.ts'
import type { Validation } from './validation.ts'

/** What the relayer publishes about the commands that mirror validations on chain. */
export function chainOutcomes(parts: Parts): Subscription[] {
  const receive = async (about: { kind: string; opKey: string }, outcome: Observed) => {
    const apply = byKind[about.kind]
    if (!apply) return
    const [, validationId, subject = ''] = operationParts(about.opKey)
    // one that is unknown is not an error: the database may have been set back
    if (await parts.validations.get(validationId)) await parts.validations.change(validationId, present => apply(present, subject, outcome))
  }
  return [
    on(chainCommandSubmitted, about => receive(about, { is: 'submitted', round: about.round, seq: about.seq, txHash: about.txHash })),
    on(chainCommandConfirmed, about => {
      const { round, seq, txHash, blockNumber } = about
      return receive(about, { is: 'confirmed', round, seq, txHash, blockNumber })
    }),
    on(chainCommandFailed, about => {
      const { round, seq, terminal, txHash = null, message: error } = about
      return receive(about, { is: 'failed', round, seq, terminal, txHash, error })
    }),
    on(chainCommandReorged, about => receive(about, { is: 'reorged', round: about.round, seq: about.seq })),
  ]
}

type Apply = (v: Validation, subject: string, outcome: Observed) => Decision<Validation> | undefined

/** By kind of command; `subject` is the second part of its key after the validation: the wallet that voted or was replaced. */
const byKind: Readonly<Record<string, Apply>> = {
  'swarm.open': (v, _, outcome) => changed(v.opening, outcome, opening => ({ ...v, opening })),
  'swarm.replace': (v, wallet, outcome) => {
    const seat = seatOf(v, wallet)
    return changed(seat?.replacement, outcome, replacement => ({
      ...v,
      panel: v.panel.map(entry => (entry === seat ? { ...entry, replacement } : entry)),
    }))
  },
  'swarm.vote': (v, wallet, outcome) => {
    const voterId = seatOf(v, wallet)?.agentId
    const vote = v.votes.find(entry => entry.voterId === voterId)
    return changed(vote, outcome, onChain => ({ ...v, votes: v.votes.map(entry => (entry === vote ? { ...entry, ...onChain } : entry)) }))
  },
}

const seatOf = (v: Validation, wallet: string) => v.panel.find(seat => seat.wallet.toLowerCase() === wallet.toLowerCase())

function changed(current: OnChain | undefined, outcome: Observed, apply: (next: OnChain) => Validation): Decision<Validation> | undefined {
  const next = current && follow(current, outcome)
  return next && { state: apply(next), events: [] }
}
