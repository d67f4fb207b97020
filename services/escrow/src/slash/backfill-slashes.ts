import type { Stored } from '@carapace/store'
import type { Bond, MadeSlash } from '../bond/bond.ts'
import { bondDecision } from '../bond/bond-decision.ts'
import { changeBond } from '../bond/change-bond.ts'
import type { Parts } from '../parts.ts'

/** Bonds that were slashed before their slashes were stored with them get them from the history: one that was paid back must not count. */
export async function addMadeSlashes(parts: Parts): Promise<void> {
  const without = await parts.bonds.find({ lastSlashAt: { $type: 'date' }, slashes: { $exists: false } })
  // where one fails the migration has failed, and is repeated: those that are done are not met again
  for (const bond of without) {
    const slashes = await slashesFromHistory(parts, bond)
    await changeBond(parts, bond.id, present => (present.slashes ? undefined : bondDecision({ ...present, slashes })))
  }
}

async function slashesFromHistory({ bondHistory, slashes }: Parts, bond: Stored<Bond>): Promise<MadeSlash[]> {
  // a reversal under way has paid nothing back yet
  const isReversed = (id: string) =>
    bond.reversed.includes(id) && !bond.moves.some(({ slashId, type }) => slashId === id && type === 'SLASH_REVERSED')
  const made = await bondHistory.slashes(bond.id)
  return Promise.all(
    made.map(async ({ id, createdAt }) => ({
      id,
      at: createdAt,
      isVerdict: (await slashes.get(id))?.by === 'swarm',
      isReversed: isReversed(id),
    })),
  )
}
