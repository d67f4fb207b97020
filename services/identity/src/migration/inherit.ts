import { Refusal, refuse } from '@carapace/api'
import { eachDue } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { hasSettledWork } from '../registration/register.ts'
import { isConsent, type MigrationSignature } from './consent.ts'
import { checkSource, checkTarget, decide, expire, finish, join, leave, type Migration, migrate, propose } from './migration.ts'

export interface Claim {
  targetAgentId: string
  sourceAgentId: string
  evidence: string
  signature?: MigrationSignature | undefined
}

/**
 * The target claims the reputation of the source. With the source's signature it is done immediately, else the source has seven days to consent.
 * @throws SELF_ACTION, NOT_FOUND, INVALID_STATE, SIGNATURE_INVALID
 */
export async function inherit(parts: Parts, claim: Claim): Promise<Stored<Migration>> {
  const { agents, migrations, clock, newId } = parts
  if (claim.sourceAgentId === claim.targetAgentId) refuse('SELF_ACTION')
  const [target, source] = await Promise.all([agents.need(claim.targetAgentId), agents.need(claim.sourceAgentId)])
  const existing = await migrations.between(source.id, target.id)
  if (!existing) {
    checkTarget(target, await hasSettledWork(parts, target), clock.now())
    checkSource(source)
  }
  if (claim.signature && !(await isConsent(parts, source, target, claim.signature))) refuse('SIGNATURE_INVALID', { field: 'sourceSignature' })
  const migration = existing ?? (await open(parts, propose(newId(), source.id, target.id, claim.evidence, clock.now())))
  return claim.signature ? settle(parts, migration.id, true) : migration
}

/** Reserves the target first, so that of two concurrent claims one is refused. */
async function open({ agents, migrations }: Parts, migration: Migration): Promise<Stored<Migration>> {
  const created = await migrations.create(migration, [])
  try {
    await agents.change(migration.targetAgentId, agent => join(agent, migration.id))
    return created
  } catch (error) {
    await migrations.remove(migration.id)
    throw error
  }
}

/** The source agrees to a pending claim. @throws NOT_FOUND, INVALID_STATE */
export async function consent(parts: Parts, sourceAgentId: string, targetAgentId: string): Promise<Stored<Migration>> {
  const migration = (await parts.migrations.between(sourceAgentId, targetAgentId)) ?? refuse('NOT_FOUND', { resource: 'migration' })
  return settle(parts, migration.id, true)
}

/** Approves or rejects a pending one and updates both agents. @throws NOT_FOUND, INVALID_STATE */
export async function settle(parts: Parts, id: string, approve: boolean): Promise<Stored<Migration>> {
  const decided = await parts.migrations.change(id, present => decide(present, approve, parts.clock.now()))
  if (decided.status === 'rejected') await parts.agents.change(decided.targetAgentId, agent => leave(agent, id))
  const ended = decided.status === 'completing' ? await complete(parts, decided) : decided
  if (approve && ended.status === 'rejected') refuse('INVALID_STATE', { state: ended.status }, { message: 'The source cannot migrate (any more)' })
  return ended
}

/** Every step may be repeated: after a crash the job goes on here. */
async function complete({ agents, migrations }: Parts, migration: Migration): Promise<Stored<Migration>> {
  try {
    await agents.change(migration.sourceAgentId, source => migrate(source, migration))
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'INVALID_STATE')) throw error
    // meanwhile the source migrated to another agent or was suspended
    await agents.change(migration.targetAgentId, agent => leave(agent, migration.id))
    return migrations.change(migration.id, present => finish(present, 'abandon'))
  }
  return migrations.change(migration.id, present => finish(present, 'complete'))
}

/** Transitions by time alone: claims without consent expire, decided ones that a crash interrupted are completed. */
export async function sweepMigrations(parts: Parts, now: Date, limit: number): Promise<void> {
  const { agents, migrations } = parts
  await eachDue(parts.log, await migrations.find({ dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit }), async migration => {
    if (migration.status === 'completing') return complete(parts, migration)
    const ended = await migrations.change(migration.id, present => expire(present, now))
    if (ended.status === 'expired') await agents.change(ended.targetAgentId, agent => leave(agent, ended.id))
  })
}
