import { type AggregateStore, aggregateStore, type Database, type Stored } from '@carapace/store'
import { type Budget, newBudget } from './budget.ts'

export type BudgetStore = AggregateStore<Budget> & {
  /** The agent's budget, with the default limit when it never had one. Nothing is written. */
  of(agentId: string): Promise<Budget>
  /** Creates the row if there is none: a transaction needs one to guard. */
  ensure(agentId: string): Promise<void>
}

export function budgetStore(db: Database): BudgetStore {
  const budgets = aggregateStore<Budget>(db, { collection: 'budgets', resource: 'budget', optimistic: true })
  const current = (agentId: string): Promise<Stored<Budget> | undefined> => budgets.get(agentId)
  return {
    ...budgets,
    of: async agentId => (await current(agentId)) ?? newBudget(agentId),
    ensure: async agentId => {
      // nearly always there: a read costs less than a write that collides
      if (await current(agentId)) return
      await budgets.createOnce(agentId, () => ({ state: newBudget(agentId), events: [] }))
    },
  }
}
