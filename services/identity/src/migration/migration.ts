import { agentMigrated, agentStatusChanged, dayMs, refuse } from '@carapace/api'
import type { Decision } from '@carapace/store'
import { type Agent, changed } from '../agent.ts'
import { type MigrationStatus, type MigrationTrigger, migrationStates } from './migration-states.ts'

/** The reputation of one agent on its way to another. */
export interface Migration {
  id: string
  sourceAgentId: string
  targetAgentId: string
  evidence: string
  status: MigrationStatus
  expiresAt: Date
  /** When time alone goes on with it; absent when it is over. */
  dueAt?: Date
}

const openMs = 7 * dayMs
const maxTargetAgeMs = 30 * dayMs

export const propose = (id: string, sourceAgentId: string, targetAgentId: string, evidence: string, now: Date): Migration => {
  const expiresAt = new Date(now.getTime() + openMs)
  return { id, sourceAgentId, targetAgentId, evidence, status: migrationStates.initial, expiresAt, dueAt: expiresAt }
}

/** Its target may become too old while it is open. */
export const claimedAt = ({ expiresAt }: Migration): Date => new Date(expiresAt.getTime() - openMs)

/**
 * @param claimed when its reputation was claimed
 * @throws INVALID_STATE for an agent that migrated, is suspended, or is too old or too busy to begin with another's reputation
 */
export function checkTarget(target: Agent, hasSettledWork: boolean, claimed: Date): void {
  const why =
    target.status !== 'active'
      ? 'is not active'
      : hasSettledWork
        ? 'has settled work of its own'
        : claimed.getTime() - target.registeredAt.getTime() > maxTargetAgeMs
          ? 'is older than 30 days'
          : target.platform
            ? 'is the platform itself'
            : undefined
  if (why) refuse('INVALID_STATE', { agentId: target.id }, { message: `The target ${why}` })
}

/** @throws INVALID_STATE */
export function checkSource(source: Agent): void {
  if (source.status !== 'active' || source.migrationId !== null || source.platform)
    refuse('INVALID_STATE', { agentId: source.id, state: source.status }, { message: 'The source cannot migrate (any more)' })
}

/** An agent is part of one migration at most. @throws INVALID_STATE */
export function join(agent: Agent, migrationId: string): Decision<Agent> | undefined {
  if (agent.migrationId === migrationId) return undefined
  if (agent.migrationId !== null)
    refuse('INVALID_STATE', { migrationId: agent.migrationId }, { message: 'This agent is part of a migration already' })
  return changed(agent, { migrationId })
}

export const leave = (agent: Agent, migrationId: string): Decision<Agent> | undefined =>
  agent.migrationId === migrationId && agent.status !== 'migrated' ? changed(agent, { migrationId: null }) : undefined

/** The source gives its reputation away; handle, wallet and money stay. @throws INVALID_STATE when it did so before, or is not active */
export function migrate(source: Agent, { id, sourceAgentId, targetAgentId }: Migration): Decision<Agent> | undefined {
  if (source.status === 'migrated' && source.migrationId === id) return undefined
  checkSource(source)
  const status = agentStatusChanged.of({
    agentId: source.id,
    handle: source.handle,
    status: 'migrated',
    wallet: source.wallet,
    formerWallet: source.formerWallet,
    cause: 'migration',
    reason: null,
  })
  return changed(source, { status: 'migrated', migrationId: id }, [status, agentMigrated.of({ migrationId: id, sourceAgentId, targetAgentId })])
}

/** A final state is never due again. */
const end = (migration: Migration, trigger: MigrationTrigger): Decision<Migration> => {
  const { dueAt: _, ...rest } = migration
  return { state: { ...rest, status: migrationStates.move(migration.status, trigger) }, events: [] }
}

/** Decides a pending one. @throws INVALID_STATE */
export function decide(migration: Migration, approve: boolean, now: Date): Decision<Migration> | undefined {
  if (approve && (migration.status === 'completing' || migration.status === 'completed')) return undefined
  if (migration.status !== 'pending' || migration.expiresAt <= now)
    refuse('INVALID_STATE', { state: migration.status === 'pending' ? 'expired' : migration.status, allowed: ['pending'] })
  if (!approve) return end(migration, 'reject')
  return { state: { ...migration, status: migrationStates.move(migration.status, 'approve'), dueAt: now }, events: [] }
}

export const expire = (migration: Migration, now: Date): Decision<Migration> | undefined =>
  migrationStates.next(migration.status, 'expire') && migration.expiresAt <= now ? end(migration, 'expire') : undefined

/** The end of a decided one; undefined when it has ended already. */
export const finish = (migration: Migration, trigger: 'complete' | 'abandon'): Decision<Migration> | undefined =>
  migrationStates.next(migration.status, trigger) ? end(migration, trigger) : undefined

/** As clients see it: a decided one is pending until both agents are updated. Its evidence is for those who decide about it. */
export const migrationView = ({ id, sourceAgentId, targetAgentId, status, expiresAt }: Migration) => ({
  id,
  sourceAgentId,
  targetAgentId,
  status: status === 'completing' ? ('pending' as const) : status,
  expiresAt: expiresAt.toISOString(),
})
