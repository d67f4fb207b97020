import {
  type Chain,
  type ChainLog,
  chainCommandConfirmed,
  chainCommandFailed,
  chainCommandReorged,
  chainCommandSubmitted,
  chainRelayerApi,
} from '@carapace/api'
import { onChainKey, operationParts } from '@carapace/chain'
import { on, type Subscription } from '@carapace/service'
import type { Parts } from './parts.ts'
import { type Outcome, onCard, onDrip, onIdentity } from './registration.ts'

interface About {
  opKey: string
  kind: string
  network: Chain
  round: number
  seq: number
}
type Received = Outcome & { logs?: readonly ChainLog[] }

/** What the relayer publishes about this service's commands. */
export function chainOutcomes(parts: Parts): Subscription[] {
  const receive = ({ opKey, kind, network, round, seq }: About, received: Received) => {
    const handle = handlers[kind]
    return handle ? handle(parts, { id: operationParts(opKey)[1], chain: network }, { ...received, round, seq }) : Promise.resolve()
  }
  return [
    on(chainCommandSubmitted, about => receive(about, { is: 'submitted', txHash: about.txHash })),
    on(chainCommandConfirmed, about =>
      receive(about, { is: 'confirmed', txHash: about.txHash, blockNumber: about.blockNumber, at: parts.clock.now(), logs: about.logs }),
    ),
    on(chainCommandFailed, about =>
      about.terminal ? receive(about, { is: 'failed', error: failureText(about), attempts: about.attempts }) : Promise.resolve(),
    ),
    on(chainCommandReorged, about => receive(about, { is: 'reorged' })),
  ]
}

type Handler = (parts: Parts, about: { id: string; chain: Chain }, received: Received & { round: number; seq: number }) => Promise<unknown>

/** By kind of command; an agent that is none of ours is not an error: its database may have been set back. */
const handlers: Readonly<Record<string, Handler>> = {
  'identity.register': async (parts, { id, chain }, { logs, ...outcome }) => {
    if (!(await parts.agents.get(id))) return
    const tokenId = outcome.is === 'confirmed' ? await tokenIdOf(parts, chain, id, logs ?? []) : null
    await parts.agents.change(id, agent => onIdentity(agent, chain, outcome, tokenId))
  },
  'card.mint': async (parts, { id, chain }, { logs: _, ...outcome }) => {
    if (await parts.agents.get(id)) await parts.agents.change(id, agent => onCard(agent, chain, outcome))
  },
  'gas.drip': async (parts, { id: wallet }, { logs: _, ...outcome }) => {
    const holder = await parts.agents.byWallet(wallet)
    if (holder) await parts.agents.change(holder.id, agent => onDrip(agent, outcome))
  },
}

const failureText = ({ code, message, revert }: { code: string; message: string; revert?: { name: string } | undefined }) =>
  revert ? `${code}: ${revert.name}` : `${code}: ${message}`

/** From the log, or, when the effect was found already done and there is none, from the registry itself. @throws CHAIN_UNAVAILABLE */
async function tokenIdOf(parts: Parts, chain: Chain, agentId: string, logs: readonly ChainLog[]): Promise<string> {
  const log = logs.find(({ contract, event }) => contract === 'IdentityRegistry' && event === 'Registered')
  if (log) return String(log.args.agentId)
  const { result } = await parts.peers.call('chain-relayer', chainRelayerApi.internal.chainRead, {
    params: { chain },
    body: { contract: 'IdentityRegistry', fn: 'agentOfKey', args: [onChainKey(agentId)] },
  })
  return String(result[1])
}
