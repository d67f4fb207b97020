import { type AggregateStore, aggregateStore, type Database, type Stored } from '@carapace/store'
import { Schema } from 'mongoose'
import type { Migration } from './migration.ts'

const schema = new Schema<Migration>({ sourceAgentId: String, targetAgentId: String, status: String, expiresAt: Date, dueAt: Date })
schema.index({ sourceAgentId: 1, createdAt: -1 }, { name: 'source' })
schema.index({ targetAgentId: 1, createdAt: -1 }, { name: 'target' })
schema.index({ dueAt: 1 }, { name: 'due', partialFilterExpression: { dueAt: { $type: 'date' } } })

export type MigrationStore = AggregateStore<Migration> & {
  /** The latest one of the agent, a completed one before all others. */
  of(agentId: string): Promise<Stored<Migration> | undefined>
  /** The pending one between two agents. */
  between(sourceAgentId: string, targetAgentId: string): Promise<Stored<Migration> | undefined>
}

export function migrationStore(db: Database): MigrationStore {
  const migrations = aggregateStore<Migration>(db, { collection: 'migrations', resource: 'migration', schema })
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
  }
}
