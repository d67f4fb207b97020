import assert from 'node:assert/strict'
import type { ChainCommand } from '@carapace/api'
import type { TestAgent } from '@carapace/testing'
import { bondsIn } from '../../testing/bonds.ts'
import { newAgent, oracle, until } from '../../testing/harness.ts'
import { sharedHarness } from '../../testing/shared-harness.ts'

describe('a bond command that the chain carries out after it was reported failed', () => {
  const harness = sharedHarness()
  const { bonded, call, rich, status } = bondsIn(harness)
  const async = { prefer: 'respond-async' }

  /** The command of this kind that is sent by the act; the chain leaves it open. */
  async function commandOf(kind: string, act: () => Promise<{ body: Record<string, string> }>) {
    const before = harness.commands.length
    harness.chain = command => (command.kind === kind ? 'wait' : 'confirm')
    const { body } = await act()
    const command = await until('sent', () => harness.commands.slice(before).find(sent => sent.kind === kind))
    return { command, statusUrl: body.statusUrl! }
  }
  const outcomeAt = async (url: string, agent: TestAgent) => {
    const { body } = await harness.platform.call('GET', url, { headers: agent.headers })
    return [body.onChain?.status, body.onChain?.error]
  }
  const ends = (url: string, agent: TestAgent, expected: unknown[]) =>
    until(String(expected), async () => (await outcomeAt(url, agent)).join() === expected.join())
  const twice = async (command: ChainCommand, outcome: 'confirm' | 'fail', seq: number) => {
    for (const _ of [1, 2]) await harness.outcome(command, outcome, 'REVERTED', seq)
  }

  const acts: Record<
    string,
    { act: (agent: TestAgent) => Promise<{ body: Record<string, string> }>; agent: () => Promise<TestAgent>; total: number[] }
  > = {
    'bond.deposit': {
      agent: rich,
      act: agent => call(`/api/bond/${agent.id}/deposit`, { amount: 30 }, { ...agent.headers, ...async }),
      total: [0, 30],
    },
    'bond.withdraw': {
      agent: () => bonded(100),
      act: agent => call(`/api/bond/${agent.id}/withdraw`, { amount: 40 }, { ...agent.headers, ...async }),
      total: [100, 60],
    },
    'bond.slash': {
      agent: () => bonded(100),
      act: agent => call(`/api/bond/${agent.id}/slash`, { amount: 10, reason: 'late' }, { ...oracle, ...async }),
      total: [100, 90],
    },
  }
  for (const [kind, { agent: of, act, total }] of Object.entries(acts))
    it(`is booked once, and reversed with its block: ${kind}`, async () => {
      const agent = await of()
      const { command, statusUrl } = await commandOf(kind, () => act(agent))
      await harness.outcome(command, 'fail', 'REVERTED', 2)
      await ends(statusUrl, agent, ['failed', 'REVERTED'])
      assert.equal((await status(agent)).totalBonded, total[0])

      await twice(command, 'confirm', 3)
      await ends(statusUrl, agent, ['confirmed', ''])
      assert.equal((await status(agent)).totalBonded, total[1])

      await twice(command, 'fail', 5)
      await ends(statusUrl, agent, ['failed', 'REORGED'])
      assert.equal((await status(agent)).totalBonded, total[0])

      await twice(command, 'confirm', 6)
      await ends(statusUrl, agent, ['confirmed', ''])
      assert.equal((await status(agent)).totalBonded, total[1])
    })

  it('shows a slash as it was made in the end', async () => {
    const agent = await bonded(100)
    const { connection } = harness.platform.service('escrow').platform.db
    const shown = async (id: string) => (await connection.collection<{ _id: string; status: string }>('slashes').findOne({ _id: id }))?.status
    const { command } = await commandOf('bond.slash', () => acts['bond.slash']!.act(agent))
    const [, id] = command.opKey.split(':') as [string, string]
    for (const [outcome, seq, expected] of [
      ['fail', 2, 'DROPPED'],
      ['confirm', 3, 'APPLIED'],
      ['fail', 5, 'REVERSED'],
      ['confirm', 6, 'APPLIED'],
    ] as const) {
      await twice(command, outcome, seq)
      await until(`${expected} after ${outcome} ${seq}`, async () => (await shown(id)) === expected)
    }
  })

  it('releases a lock that nobody needs any more', async () => {
    const agent = await bonded(100)
    await newAgent(harness)
    const gigId = crypto.randomUUID()
    const before = harness.commands.length
    harness.chain = ({ kind }) => (kind === 'bond.lock' ? 'wait' : 'confirm')
    const { lock } = bondsIn(harness)
    const requested = lock(agent, gigId, 40).catch(() => undefined)
    const command = await until('sent', () => harness.commands.slice(before).find(({ kind }) => kind === 'bond.lock'))
    await harness.outcome(command, 'fail', 'REVERTED', 2)
    await requested
    assert.equal((await status(agent)).availableBond, 100)

    await twice(command, 'confirm', 3)

    await until('released', () => harness.commands.slice(before).some(({ kind, args }) => kind === 'bond.unlock' && args.gigId === gigId))
    await until('free again', async () => (await status(agent)).availableBond === 100)
  })
})
