import { Refusal, refuse } from '@carapace/api'
import { eachDue } from '@carapace/service'
import { type Stored, transact } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { hasSettledWork } from '../registration/register.ts'
import { isConsent, type MigrationSignature } from './consent.ts'
import { checkSource, checkTarget, claimedAt, decide, expire, finish, join, leave, type Migration, migrate, propose } from './migration.ts'

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

/** The target is reserved by the same write, so that of two claims of it one alone can be consented to. */
function open(parts: Parts, migration: Migration): Promise<Stored<Migration>> {
  return transact(parts, async session => {
    await parts.agents.change(migration.targetAgentId, agent => join(agent, migration.id), { session })
    return parts.migrations.create(migration, [], { session })
  })
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
  if (approve && ended.status === 'rejected')
    refuse('INVALID_STATE', { state: ended.status }, { message: 'The source cannot migrate to this target (any more)' })
  return ended
}

/** Every step may be repeated: after a crash the job goes on here. */
async function complete(parts: Parts, migration: Migration): Promise<Stored<Migration>> {
  const { agents, migrations } = parts
  try {
    const source = await agents.need(migration.sourceAgentId)
    // afterwards the work of the source is that of the target
    if (source.migrationId !== migration.id) await prepareTarget(parts, migration)
    await agents.change(migration.sourceAgentId, present => migrate(present, migration))
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'INVALID_STATE')) throw error
    // meanwhile the source migrated to another agent or was suspended, or the target cannot begin with its reputation any more
    await agents.change(migration.targetAgentId, agent => leave(agent, migration.id))
    return migrations.change(migration.id, present => finish(present, 'abandon'))
  }
  return migrations.change(migration.id, present => finish(present, 'complete'))
}

/** The target has changed since the claim perhaps; an early record has not reserved it. @throws INVALID_STATE, DEPENDENCY_UNAVAILABLE */
async function prepareTarget(parts: Parts, migration: Migration): Promise<void> {
  const target = await parts.agents.need(migration.targetAgentId)
  const hasWork = await hasSettledWork(parts, target)
  await parts.agents.change(target.id, present => {
    checkTarget(present, hasWork, claimedAt(migration))
    return join(present, migration.id)
  })
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
