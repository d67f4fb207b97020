import { dueBy, eachDue, type Job } from '@carapace/service'
import type { Parts } from '../../parts.ts'
import { reservingMs } from '../bond.ts'
import { drawOnTreasury } from './bond-operations.ts'

const everyMs = 5_000
const batch = 100

export const bondJobs = (parts: Parts): Job[] => [
  {
    name: 'deposits that a crash left without a command',
    everyMs,
    due: dueBy(parts.bonds, 'updatedAt', { filter: { 'moves.stage': 'reserving' }, afterMs: reservingMs }),
    run: async now => {
      const before = new Date(now.getTime() - reservingMs)
      const found = await parts.bonds.find({ 'moves.stage': 'reserving', updatedAt: { $lte: before } }, { sort: { updatedAt: 1 }, limit: batch })
      const left = found.flatMap(bond => bond.moves.filter(move => move.stage === 'reserving').map(({ id }) => ({ id, agentId: bond.id })))
      await eachDue(parts.log, left, ({ id, agentId }) => drawOnTreasury(parts, agentId, id))
    },
  },
]
