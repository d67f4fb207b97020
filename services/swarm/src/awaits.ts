import type { CommandKind } from '@carapace/api'
import { type OnChain, operationKey, toChecksum } from '@carapace/chain'
import type { Awaiting } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from './parts.ts'
import type { Validation } from './validation/validation.ts'

/** Validations whose panel, replacements or votes are on their way to the chain. */
export async function awaits({ validations }: Parts): Promise<Awaiting[]> {
  const places = ['opening.status', 'panel.replacement.status', 'votes.status']
  const found = await validations.findAny(places.map(place => ({ [place]: 'pending' })))
  return found.flatMap(awaitedOf)
}

/** Its commands whose outcomes are not known yet. */
export function awaitedOf({ id, round, opening, panel, votes, updatedAt }: Stored<Validation>): Awaiting[] {
  const pending = (what: string, on: OnChain | undefined, since: Date, kind: CommandKind, subject: string | number): Awaiting[] =>
    on?.status === 'pending' ? [{ record: `${what} of validation ${id}`, opKey: operationKey(kind, id, subject), round: on.round ?? 1, since }] : []
  const walletOf = (agentId: string) => panel.find(seat => seat.agentId === agentId)?.wallet
  return [
    ...pending('panel', opening, updatedAt, 'swarm.open', round),
    ...panel.flatMap(({ replacement, wallet }) => pending('replacement', replacement, updatedAt, 'swarm.replace', toChecksum(wallet))),
    ...votes.flatMap(vote => {
      const wallet = walletOf(vote.voterId)
      return wallet === undefined ? [] : pending(`vote ${vote.id}`, vote, vote.at, 'swarm.vote', toChecksum(wallet))
    }),
  ]
}
