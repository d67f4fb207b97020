import assert from 'node:assert/strict'
import { chainOutcome, cloudEvent, type Draft } from '@carapace/api'
import { commandConfirmed, commandFailed } from '@carapace/testing'
import { onOutcomes } from './on-outcomes.ts'

const command = { opKey: 'score.sync:BASE_SEPOLIA:b1', round: 1, kind: 'score.sync', network: 'BASE_SEPOLIA' } as const
const eventOf = (draft: Draft) => cloudEvent(draft, { id: 'e', source: '/carapace/chain-relayer', time: '2026-01-01T00:00:00Z', aggregateversion: 1 })

describe('onOutcomes', () => {
  const followed: string[] = []
  const follow = async ({ is, opKey }: { is: string; opKey: string }) => followed.push(`${is} ${opKey}`)
  const subscriptions = onOutcomes({ 'score.sync': { confirmed: follow, failed: follow } })
  const handle = async (draft: Draft) => {
    for (const subscription of subscriptions.filter(({ types }) => types.includes(draft.type))) await subscription.handle(eventOf(draft))
  }
  beforeEach(() => void followed.splice(0))

  it('subscribes to the named outcomes of the named kinds and to nothing else', () => {
    const { confirmed, failed } = chainOutcome('score.sync')
    assert.deepEqual(
      subscriptions.flatMap(({ types }) => types),
      [confirmed.type, failed.type],
    )
  })

  it('gives each outcome with its name', async () => {
    await handle(commandConfirmed(command))
    await handle(commandFailed(command))

    assert.deepEqual(followed, [`confirmed ${command.opKey}`, `failed ${command.opKey}`])
  })

  it('passes over a failure that does not end the round: it is about a refused message', async () => {
    await handle(commandFailed(command, { terminal: false, code: 'IDEMPOTENCY_MISMATCH' }))

    assert.deepEqual(followed, [])
  })
})
