import { marketplaceApi } from '@carapace/api'
import { eachDue, type Job } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { type Bond, withLock } from './bond.ts'
import { changeBond } from './keep.ts'
import { drawOnTreasury } from './operate.ts'
import { outcome } from './outcome.ts'
import { endLock, onTime } from './request.ts'
import { closeLockOf } from './verdict.ts'

const everyMs = 5_000
const batch = 100
const leftBehindMs = 30_000

/** A lock that stands without an assignment: its owner says whether it is used, and if not gives it up for good, so that it can be undone. */
async function ask(parts: Parts, agentId: string, gigId: string): Promise<void> {
  const { assigned } = await parts.peers.call('marketplace', marketplaceApi.internal.settleAcceptance, { params: { id: gigId, agentId } })
  if (!assigned) await changeBond(parts, agentId, bond => endLock(bond, gigId, parts.newId()))
  else {
    await changeBond(parts, agentId, bond => outcome(withLock(bond, gigId, { askAt: null })))
    await closeLockOf(parts, gigId)
  }
}

async function moveOn(parts: Parts, bond: Stored<Bond>, now: Date): Promise<void> {
  for (const { gigId, askAt } of bond.locks) if (askAt && askAt <= now) await ask(parts, bond.id, gigId)
  await changeBond(parts, bond.id, present => onTime(present, now, parts.newId))
}

export const bondJobs = (parts: Parts): Job[] => [
  {
    name: 'bond locks that are due',
    everyMs,
    run: async now => {
      const due = await parts.bonds.find({ dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit: batch })
      await eachDue(parts.log, due, bond => moveOn(parts, bond, now))
    },
  },
  {
    name: 'deposits that a crash left without a command',
    everyMs,
    run: async now => {
      const before = new Date(now.getTime() - leftBehindMs)
      const found = await parts.bonds.find({ 'moves.stage': 'reserving', updatedAt: { $lte: before } }, { sort: { updatedAt: 1 }, limit: batch })
      const left = found.flatMap(bond => bond.moves.filter(move => move.stage === 'reserving').map(({ id }) => ({ id, agentId: bond.id })))
      await eachDue(parts.log, left, ({ id, agentId }) => drawOnTreasury(parts, agentId, id))
    },
  },
]
