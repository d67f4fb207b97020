import assert from 'node:assert/strict'
import * as api from '@carapace/api'
import { assignedGig, gigAs, type Work } from '../testing/gigs.ts'
import { draft, startWorld, type World } from '../testing/world.ts'

const hash = `0x${'ab'.repeat(32)}`

describe('the escrow of a gig as the gig shows it', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.close())

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
    undone: api.escrowRestated.of({ ...facts(work), status: 'locked', unpaid: false, ...nowhere }),
    gone: api.escrowRestated.of({ ...facts(work), status: 'none', unpaid: false, ...nowhere }),
    again: api.escrowRestated.of({ ...facts(work), status: 'refunded', unpaid: false, ...at, settledAt: new Date().toISOString() }),
    refunded: api.escrowRefunded.of({
      ...{ ...facts(work), ...from(work), ...at, reason: 'cancelled', by: 'party', failure: null, payoutLost: false, disputed: false },
      refundedAt: new Date().toISOString(),
    }),
  })
  type Word = keyof ReturnType<typeof words>
  const tell = async (work: Work, word: Word, version: number) => world.platform.publish(words(work)[word], version)
  const shown = async (work: Work) => (await gigAs(world, work.gigId)).escrowStatus

  it('is none again when its lock is undone, and locked when it is locked anew, whatever comes late or twice', async () => {
    const work = await assignedGig(world)
    const seen: string[] = []
    for (const [word, version] of [
      ['locked', 3],
      ['failed', 5],
      ['locked', 3],
      ['locked', 8],
      ['failed', 5],
    ] as const) {
      await tell(work, word, version)
      seen.push(await shown(work))
    }

    assert.deepEqual(seen, ['locked', 'none', 'none', 'locked', 'locked'])
  })

  it('is locked again while a settlement is undone, settled when it is made again, and none without its lock', async () => {
    const work = await assignedGig(world)
    const seen: string[] = []
    for (const [word, version] of [
      ['refunded', 6],
      ['locked', 3],
      ['undone', 7],
      ['refunded', 6],
      ['again', 9],
      ['undone', 7],
      ['gone', 10],
    ] as const) {
      await tell(work, word, version)
      seen.push(await shown(work))
    }

    assert.deepEqual(seen, ['refunded', 'refunded', 'locked', 'locked', 'refunded', 'refunded', 'none'])
  })
})
