import assert from 'node:assert/strict'
import * as api from '@carapace/api'
import { assignedGig, gigAs, type Work } from '../testing/gigs.ts'
import { draft, type Harness, startHarness } from '../testing/harness.ts'

const hash = `0x${'ab'.repeat(32)}`

describe('the escrow of a gig as the gig shows it', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const facts = ({ gigId, poster, worker }: Work) => ({
    ...{ escrowId: gigId, gigId, gigTitle: draft.title, posterId: poster.id, assigneeId: worker.id, amount: 40_000_000n },
    chain: 'BASE_SEPOLIA' as const,
  })
  const from = ({ poster }: Work) => ({ fundedFrom: { kind: 'allowance' as const, address: poster.wallet } })
  const at = { txHash: hash, blockNumber: 7 }
  const nowhere = { txHash: null, blockNumber: null, settledAt: null }
  const words = (work: Work) => ({
    locked: api.escrowLocked.of({ ...facts(work), ...from(work), ...at, lockedAt: new Date().toISOString() }),
    failed: api.escrowFailed.of({ ...facts(work), code: 'EXPIRED', error: '', wasLocked: true, disputed: false }),
    reorged: api.escrowRestated.of({ ...facts(work), status: 'locked', unpaid: false, ...nowhere }),
    lost: api.escrowRestated.of({ ...facts(work), status: 'none', unpaid: false, ...nowhere }),
    again: api.escrowRestated.of({ ...facts(work), status: 'refunded', unpaid: false, ...at, settledAt: new Date().toISOString() }),
    refunded: api.escrowRefunded.of({
      ...{ ...facts(work), ...from(work), ...at, reason: 'cancelled', by: 'party', failure: null, payoutLost: false, disputed: false },
      refundedAt: new Date().toISOString(),
    }),
  })
  type Word = keyof ReturnType<typeof words>
  const publish = async (work: Work, word: Word, version: number) => harness.platform.publish(words(work)[word], version)
  const shown = async (work: Work) => (await gigAs(harness, work.gigId)).escrowStatus

  it('is none again when its lock is reversed, and locked when it is locked again, also with late or repeated events', async () => {
    const work = await assignedGig(harness)
    const seen: string[] = []
    for (const [word, version] of [
      ['locked', 3],
      ['failed', 5],
      ['locked', 3],
      ['locked', 8],
      ['failed', 5],
    ] as const) {
      await publish(work, word, version)
      seen.push(await shown(work))
    }

    assert.deepEqual(seen, ['locked', 'none', 'none', 'locked', 'locked'])
  })

  it('is locked again while a settlement is reversed, settled when it is made again, and none without its lock', async () => {
    const work = await assignedGig(harness)
    const seen: string[] = []
    for (const [word, version] of [
      ['refunded', 6],
      ['locked', 3],
      ['reorged', 7],
      ['refunded', 6],
      ['again', 9],
      ['reorged', 7],
      ['lost', 10],
    ] as const) {
      await publish(work, word, version)
      seen.push(await shown(work))
    }

    assert.deepEqual(seen, ['refunded', 'refunded', 'locked', 'locked', 'refunded', 'refunded', 'none'])
  })
})
