import type { Draft } from '@carapace/api'
import { commands } from '@carapace/chain'
import { type PanelSeat, seated, type Validation } from './validation.ts'

/** Commands that mirror a validation on chain. The panel is opened there with the first vote, when its numbers can change no more. */
export function voteCommands(before: Validation, voterId: string, approve: boolean): Draft[] {
  const { id: validationId, round: validationRound, chain } = before
  const voter = before.panel.find(seat => seat.agentId === voterId)!.wallet
  const candidates = seated(before).map(seat => seat.wallet)
  const opening = before.votes.length
    ? []
    : [commands.swarmOpen({ chain, validationId, validationRound, parties: before.partyWallets, candidates, threshold: before.threshold })]
  return [...opening, commands.swarmVote({ chain, validationId, validationRound, voter, approve })]
}

export function replaceCommands(v: Validation, replacements: readonly { out: PanelSeat; in: PanelSeat }[]): Draft[] {
  if (v.votes.length === 0) return []
  return replacements.map(pair =>
    commands.swarmReplace({ chain: v.chain, validationId: v.id, validationRound: v.round, out: pair.out.wallet, in: pair.in.wallet }),
  )
}
