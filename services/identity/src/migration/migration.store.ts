import type { PageQuery } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Indexes, type Page, type Stored } from '@carapace/store'
import type { Migration } from './migration.ts'

const indexes: Indexes = {
  source: { key: { sourceAgentId: 1, createdAt: -1 } },
  target: { key: { targetAgentId: 1, createdAt: -1 } },
  pending: { key: { status: 1, expiresAt: 1 }, partialFilterExpression: { status: 'pending' } },
  due: { key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $type: 'date' } } },
}

export type MigrationStore = AggregateStore<Migration> & {
  /** The latest one of the agent, a completed one before all others. */
  of(agentId: string): Promise<Stored<Migration> | undefined>
  /** The pending one between two agents. */
  between(sourceAgentId: string, targetAgentId: string): Promise<Stored<Migration> | undefined>
  /** Those that an operator may decide, newest first. */
  open(now: Date, page: PageQuery): Promise<Page<Stored<Migration>>>
}

export function migrationStore(db: Database): MigrationStore {
  const migrations = aggregateStore<Migration>(db, { collection: 'migrations', resource: 'migration', indexes })
  return {
    ...migrations,
    of: async agentId => {
      const [asSource, asTarget] = await Promise.all([
        migrations.find({ sourceAgentId: agentId }, { limit: 20 }),
        migrations.find({ targetAgentId: agentId }, { limit: 20 }),
      ])
      const all = [...asSource, ...asTarget].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
      return all.find(({ status }) => status === 'completed') ?? all[0]
    },
    between: async (sourceAgentId, targetAgentId) =>
      (await migrations.find({ sourceAgentId, targetAgentId, status: { $in: ['pending', 'completing'] } }, { limit: 1 }))[0],
    open: (now, page) => migrations.page({ status: 'pending', expiresAt: { $gt: now } }, page),
  }
}
