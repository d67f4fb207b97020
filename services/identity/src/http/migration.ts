import { type identityApi, refuse } from '@carapace/api'
import { type Handlers, reply } from '@carapace/service'
import { progressOf } from '../agent.ts'
import { consent, inherit, settle } from '../migration/inherit.ts'
import { migrationView } from '../migration/migration.ts'
import type { Parts } from '../parts.ts'

export const migrationHandlers = (parts: Parts) =>
  ({
    getMigrationStatus: async ({ params }) => {
      const agent = await parts.agents.named(params.id)
      const migration = await parts.migrations.of(agent.id)
      const { identity } = agent.chains[agent.preferredChain]
      const { tokenId, attempts } = identity
      const { status } = progressOf(identity)
      return {
        hasMigrated: migration?.status === 'completed',
        direction: migration === undefined ? null : migration.sourceAgentId === agent.id ? ('source' as const) : ('target' as const),
        migration: migration === undefined ? null : migrationView(migration),
        erc8004: { registered: status === 'confirmed', tokenId, chain: agent.preferredChain, status, attempts },
      }
    },

    inheritReputation: async ({ params, body, caller }) => {
      const { sourceAgentId, evidence, sourceSignature, targetAgentId } = body
      if (targetAgentId !== undefined) {
        if (params.id !== targetAgentId && params.id !== caller.agentId) refuse('FORBIDDEN', { expected: ':id = targetAgentId' })
        return { migration: migrationView(await consent(parts, caller.agentId, targetAgentId)) }
      }
      if (params.id !== caller.agentId) refuse('FORBIDDEN', { expected: ':id = x-agent-id' })
      const claim = { targetAgentId: caller.agentId, sourceAgentId: sourceAgentId!, evidence: evidence!, signature: sourceSignature }
      const migration = await inherit(parts, claim)
      const answer = { migration: migrationView(migration) }
      return migration.status === 'completed' ? answer : reply(202, answer)
    },

    listMigrations: async ({ query }) => {
      const { items, total } = await parts.migrations.open(parts.clock.now(), query)
      const agents = await parts.agents.many(items.flatMap(({ sourceAgentId, targetAgentId }) => [sourceAgentId, targetAgentId]))
      const handleOf = (agentId: string) => agents.get(agentId)?.handle ?? agentId
      const migrations = items.map(migration => ({
        ...migrationView(migration),
        evidence: migration.evidence,
        sourceHandle: handleOf(migration.sourceAgentId),
        targetHandle: handleOf(migration.targetAgentId),
      }))
      return { migrations, total, ...query }
    },

    resolveMigration: async ({ params, body }) => ({ migration: migrationView(await settle(parts, params.id, body.approve)) }),
  }) satisfies Handlers<typeof identityApi>
