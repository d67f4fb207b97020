import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import {
  commandConfirmed,
  commandFailed,
  knownNetworks,
  newHash,
  newTestAgent,
  receiveCommands,
  released,
  startPlatform,
  stubPeer,
  type TestAgent,
  type TestPlatform,
  type TestPlatformOptions,
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
  /** What the swarm answers of a gig or job. */
  validationsOf: (subject: string) => api.ValidationRow[]
  /** `<agent>/<chain>`, as requested from identity. */
  registrations: string[]
  commands: api.ChainCommand[]
  /** Default: confirms immediately. */
  chain: () => 'confirm' | 'fail' | 'wait'
  close(): Promise<void>
}

export const stranger = randomUUID()

export async function startHarness(env: Record<string, string> = {}, options: Pick<TestPlatformOptions, 'bus'> = {}): Promise<Harness> {
  const harness = {
    ...{ onTheWay: new Set(), madeSlashes: new Map(), registrations: [], commands: [] },
    ...{ chain: () => 'confirm', validationsOf: () => [] },
  } as unknown as Harness
  const identity = stubPeer(api.identityApi, {
    getAgentRow: ({ params }) => (harness.onTheWay.has(params.id) ? { ...newTestAgent().row, agentId: params.id } : api.refuse('NOT_FOUND')),
    registerOnChain: async ({ params }) => {
      harness.registrations.push(`${params.id}/${params.chain}`)
      await registeredOn(harness, { id: params.id, wallet: '' }, params.chain as api.Chain)
      return { status: 'confirmed' as const, tokenId: '7', txHash: null }
    },
  })
  const escrow = stubPeer(api.escrowApi, { getSlashRow: ({ params }) => harness.madeSlashes.get(params.id) ?? api.refuse('NOT_FOUND') })
  const swarm = stubPeer(api.swarmApi, {
    listGigValidations: ({ params }) => ({ validations: harness.validationsOf(params.gigId) }),
    listJobValidations: ({ params }) => ({ validations: harness.validationsOf(params.jobId) }),
  })
  const relayer = stubPeer(api.chainRelayerApi, { chainNetworks: () => ({ networks: knownNetworks({}) }) })
  const platform = await startPlatform([identity, escrow, swarm, relayer, reputation], { ...options, env })
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

/** In a mature market: what the anchor pays counts whole. */
export async function startMatureHarness(): Promise<{ harness: Harness; anchor: TestAgent }> {
  const { agent: anchor, registered } = newTestAgent()
  const harness = await startHarness({ TRUST_ANCHORS: anchor.id })
  await harness.platform.publish(registered)
  await until('the anchor is scored', () => isScored(harness, anchor))
  await harness.platform.advance(61)
  await until('the market has matured', async () => (await harness.call('GET', '/api/reputation/formulas')).body.market.maturedAt !== null)
  return { harness, anchor }
}

/** A gig whose payment is in the logs of both. @param fee micro-USDC, of 40 times as much */
export async function payGig(
  { platform, call }: Harness,
  { fee = 5n * api.MICRO, ...gig }: { posterId: string; assigneeId: string; fee?: bigint; settledAt?: string },
): Promise<void> {
  const gigId = randomUUID()
  await platform.publish(released({ ...gig, gigId, fee, amount: 40n * fee, net: 39n * fee }))
  const isLogged = async (id: string) => {
    const { events } = (await call('GET', `/api/audit?agentId=${id}&type=settled&limit=100`)).body
    return events.some(({ details }: { details: { gigId: string } }) => details.gigId === gigId)
  }
  await until('the payment is logged', async () => (await isLogged(gig.posterId)) && isLogged(gig.assigneeId))
}

const isScored = async ({ call }: Harness, { id }: TestAgent) => (await call('GET', `/api/agents/${id}/reputation`)).status === 200

/** An agent that is scored. */
export async function newAgent(harness: Harness): Promise<TestAgent> {
  const { agent, registered } = newTestAgent()
  await harness.platform.publish(registered)
  await until('the agent is scored', () => isScored(harness, agent))
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
