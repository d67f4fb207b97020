import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import {
  commandConfirmed,
  commandFailed,
  knownNetworks,
  newHash,
  newTestAgent,
  receiveCommands,
  startPlatform,
  stubPeer,
  type TestAgent,
  type TestPlatform,
  until,
} from '@carapace/testing'
import { reputation } from '../index.ts'

/** Reputation over HTTP in process; the test publishes the events of other services, the chain answers every command as `chain` configures. */
export interface Harness {
  platform: TestPlatform
  call: TestPlatform['call']
  /** Agents that identity knows although their event has not come. */
  onTheWay: Set<string>
  /** Slashes that the escrow has although their event has not come. */
  madeSlashes: Map<string, api.Slash>
  /** `<agent>/<chain>`, as requested from identity. */
  registrations: string[]
  commands: api.ChainCommand[]
  /** Default: confirms immediately. */
  chain: () => 'confirm' | 'fail' | 'wait'
  close(): Promise<void>
}

export const stranger = randomUUID()

export async function startHarness(env: Record<string, string> = {}): Promise<Harness> {
  const harness = { onTheWay: new Set(), madeSlashes: new Map(), registrations: [], commands: [], chain: () => 'confirm' } as unknown as Harness
  const identity = stubPeer(api.identityApi, {
    getAgentRow: ({ params }) => (harness.onTheWay.has(params.id) ? { ...newTestAgent().row, agentId: params.id } : api.refuse('NOT_FOUND')),
    registerOnChain: async ({ params }) => {
      harness.registrations.push(`${params.id}/${params.chain}`)
      await registeredOn(harness, { id: params.id, wallet: '' }, params.chain as api.Chain)
      return { status: 'confirmed' as const, tokenId: '7', txHash: null }
    },
  })
  const escrow = stubPeer(api.escrowApi, { getSlashRow: ({ params }) => harness.madeSlashes.get(params.id) ?? api.refuse('NOT_FOUND') })
  const relayer = stubPeer(api.chainRelayerApi, { chainNetworks: () => ({ networks: knownNetworks({}) }) })
  const platform = await startPlatform([identity, escrow, relayer, reputation], { env })
  const consumer = await receiveCommands(platform.bus, async command => {
    harness.commands.push(command)
    const how = harness.chain()
    if (command.kind !== 'score.sync' || how === 'wait') return
    await platform.publish(how === 'confirm' ? commandConfirmed(command) : commandFailed(command))
  })
  return Object.assign(harness, {
    platform,
    call: platform.call,
    close: async () => {
      await consumer.close()
      await platform.close()
    },
  })
}

/** An agent that is scored. */
export async function newAgent({ platform, call }: Harness): Promise<TestAgent> {
  const { agent, registered } = newTestAgent()
  await platform.publish(registered)
  await until('the agent is scored', async () => (await call('GET', `/api/agents/${agent.id}/reputation`)).status === 200)
  return agent
}

export async function registeredOn({ platform }: Pick<Harness, 'platform'>, { id }: { id: string; wallet: string }, chain: api.Chain): Promise<void> {
  const facts = {
    agentId: id,
    handle: 'x',
    wallet: `0x${'00'.repeat(19)}01`,
    chain,
    tokenId: '7',
    txHash: newHash(),
    blockNumber: 5,
    preferred: true,
  }
  await platform.publish(api.agentOnchainConfirmed.of({ ...facts, confirmedAt: new Date().toISOString() }))
}
