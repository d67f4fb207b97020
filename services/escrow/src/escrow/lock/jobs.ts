import { dueBy, eachDue, type Job } from '@carapace/service'
import type { Parts } from '../../parts.ts'
import { drawOnTreasury } from './lock-escrow.ts'

const everyMs = 5_000
const batch = 100
const abandonedAfterMs = 30_000

export const lockJobs = (parts: Parts): Job[] => [
  {
    name: 'locks that a crash left without a command',
    everyMs,
    due: dueBy(parts.escrows, 'updatedAt', { filter: { status: 'funding', 'lock.stage': 'reserving' }, afterMs: abandonedAfterMs }),
    run: async () => {
      const before = new Date(parts.clock.now().getTime() - abandonedAfterMs)
      const found = await parts.escrows.find(
        { status: 'funding', 'lock.stage': 'reserving', updatedAt: { $lte: before } },
        { sort: { updatedAt: 1 }, limit: batch },
      )
      await eachDue(parts.log, found, escrow => drawOnTreasury(parts, escrow))
    },
  },
]
