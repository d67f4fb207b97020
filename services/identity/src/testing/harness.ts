import { randomBytes, randomUUID } from 'node:crypto'
import { type Chain, chainOutcome, chainRelayerApi, type Draft, type ScoreRow } from '@carapace/api'
import { newWallet, startPlatform, stubPeer, type TestPlatform, type TestPlatformOptions } from '@carapace/testing'
import { identity } from '../index.ts'
import { reputationStub } from './reputation.ts'

export const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`
export const newHandle = () => `a-${randomUUID().slice(0, 13)}`

export interface TestAgent {
  id: string
  handle: string
  wallet: string
  headers: { 'x-agent-id': string; 'x-wallet-address': string }
}

export interface Harness {
  platform: TestPlatform
  /** The answers of reputation. */
  scores: Map<string, ScoreRow>
  /** Owners of tokens in the registry, by token id. */
  owners: Map<string, string>
  call: TestPlatform['call']
  /** Registers without waiting for the networks. */
  agent(fields?: Record<string, unknown>): Promise<TestAgent>
  submitted(agentId: string, chain: Chain, seq?: number): Promise<string>
  /** The relayer confirms the registration of the identity. */
  confirmed(agentId: string, chain: Chain, about?: { tokenId?: string; seq?: number; round?: number; txHash?: string }): Promise<string>
  failed(agentId: string, chain: Chain, about?: { seq?: number; round?: number; terminal?: boolean }): Promise<void>
  close(): Promise<void>
}

let tokens = 1_000

/** The service over HTTP in process; the test publishes the relayer's events. `hasRegistry`: it can read the owner of a token. */
export async function startHarness({ hasRegistry = false, ...options }: TestPlatformOptions & { hasRegistry?: boolean } = {}): Promise<Harness> {
  const scores = new Map<string, ScoreRow>()
  const owners = new Map<string, string>()
  const relayer = stubPeer(chainRelayerApi, {
    chainOwnerOf: ({ params }) => ({ owner: owners.get(params.tokenId) ?? null, blockNumber: 9 }),
  })
  const platform = await startPlatform([identity, reputationStub(scores), ...(hasRegistry ? [relayer] : [])], options)
  const publish = (draft: Draft, seq: number) => platform.publish(draft, seq)
  const about = (agentId: string, chain: Chain, round: number, seq: number) => ({
    opKey: `identity.register:${agentId}:${chain}`,
    round,
    kind: 'identity.register',
    network: chain,
    aggregateKey: `agent:${agentId}`,
    seq,
  })
  return {
    platform,
    scores,
    owners,
    call: platform.call,
    agent: async fields => {
      const wallet = newWallet()
      const handle = newHandle()
      const body = { handle, walletAddress: wallet, ...fields }
      const answer = await platform.call('POST', '/api/register-agent', { body, headers: { prefer: 'respond-async' } })
      if (answer.status !== 202) throw new Error(`not registered: ${JSON.stringify(answer.body)}`)
      const { id } = answer.body.agent
      return {
        id,
        handle: answer.body.agent.handle,
        wallet: answer.body.agent.walletAddress,
        headers: { 'x-agent-id': id, 'x-wallet-address': answer.body.agent.walletAddress },
      }
    },
    submitted: async (agentId, chain, seq = 1) => {
      const txHash = hex(32)
      await publish(chainOutcome('identity.register').submitted.of({ ...about(agentId, chain, 1, seq), txHash }), seq)
      return txHash
    },
    confirmed: async (agentId, chain, { tokenId = String(tokens++), seq = 2, round = 1, txHash = hex(32) } = {}) => {
      const log = { contract: 'IdentityRegistry', event: 'Registered', args: { agentId: tokenId }, address: hex(20), logIndex: 0 }
      const block = { txHash, blockNumber: 7, blockHash: hex(32), blockTime: 1_700_000_000 }
      await publish(
        chainOutcome('identity.register').confirmed.of({ ...about(agentId, chain, round, seq), ...block, logs: [log], already: false }),
        seq,
      )
      return tokenId
    },
    failed: async (agentId, chain, { seq = 2, round = 1, terminal = true } = {}) => {
      const code = terminal ? 'REVERTED' : 'ROUND_REFUSED'
      await publish(
        chainOutcome('identity.register').failed.of({ ...about(agentId, chain, round, seq), code, terminal, message: 'it reverted', attempts: 5 }),
        seq,
      )
    },
    close: () => platform.close(),
  }
}
