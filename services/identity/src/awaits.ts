import { type CommandKind, chains } from '@carapace/api'
import { operationKey } from '@carapace/chain'
import type { Awaiting } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { pendingSteps } from './agent.store.ts'
import type { Agent, Step } from './agent.ts'
import type { Parts } from './parts.ts'

/** Agents whose registration, card or first gas money is on its way to the chain. */
export async function awaits({ agents }: Parts): Promise<Awaiting[]> {
  const found = await agents.findAny(pendingSteps.map(step => ({ [step]: 'pending' })))
  return found.flatMap(awaitedBy)
}

/** Commands of an agent whose outcome has yet to come. Since the registration: a heartbeat changes the agent too, and says nothing of its steps. */
export function awaitedBy({ id, wallet, chains: registrations, drip, createdAt }: Stored<Agent>): Awaiting[] {
  const pending = (step: Step, kind: CommandKind, ...ids: string[]): Awaiting[] =>
    step.onChain?.status === 'pending'
      ? [{ record: `${kind} of agent ${id}`, opKey: operationKey(kind, ...ids), round: step.onChain.round, since: createdAt }]
      : []
  return [
    ...chains.flatMap(chain => [
      ...pending(registrations[chain].identity, 'identity.register', id, chain),
      ...pending(registrations[chain].card, 'card.mint', id, chain),
    ]),
    ...(wallet === null ? [] : pending(drip, 'gas.drip', wallet)),
  ]
}
