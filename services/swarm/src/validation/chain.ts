import type { Draft } from '@carapace/api'
import { commands, contractField } from '@carapace/chain'
import { type PanelSeat, seated, type Validation } from './validation.ts'

/** Commands that mirror a validation on chain. The panel is opened there with the first vote, when its numbers can change no more. */
export function voteCommands(before: Validation, after: Validation, voterId: string, approve: boolean): Draft[] {
  const on = targetOf(after)
  const voter = before.panel.find(seat => seat.agentId === voterId)!.wallet
  const candidates = seated(before).map(seat => seat.wallet)
  const opening = before.votes.length ? [] : [commands.swarmOpen({ ...on, parties: before.partyWallets, candidates, threshold: before.threshold })]
  return [...opening, commands.swarmVote({ ...on, voter, approve })]
}

const targetOf = ({ id: validationId, round: validationRound, chain, contract }: Validation) => ({
  chain,
  validationId,
  validationRound,
  ...contractField(contract),
})

export function replaceCommands(v: Validation, replacements: readonly { out: PanelSeat; in: PanelSeat }[]): Draft[] {
  if (v.votes.length === 0) return []
  return replacements.map(pair => commands.swarmReplace({ ...targetOf(v), out: pair.out.wallet, in: pair.in.wallet }))
}
