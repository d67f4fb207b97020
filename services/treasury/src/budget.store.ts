import { Refusal } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Stored } from '@carapace/store'
import { Schema } from 'mongoose'
import { type Budget, newBudget } from './budget.ts'

const schema = new Schema<Budget>({ dailyLimit: BigInt, raise: Schema.Types.Mixed, day: String, spent: BigInt })

export type BudgetStore = AggregateStore<Budget> & {
  /** The agent's budget, with the default limit when it never had one. Nothing is written. */
  of(agentId: string): Promise<Budget>
  /** Makes the row if there is none: a transaction needs one to guard. */
  ensure(agentId: string): Promise<void>
}

export function budgetStore(db: Database): BudgetStore {
  const budgets = aggregateStore<Budget>(db, { collection: 'budgets', resource: 'budget', schema })
  const known = (agentId: string): Promise<Stored<Budget> | undefined> => budgets.get(agentId)
  return {
    ...budgets,
    of: async agentId => (await known(agentId)) ?? newBudget(agentId),
    ensure: async agentId => {
      if (await known(agentId)) return
      await budgets.create(newBudget(agentId), []).catch((error: unknown) => {
        if (!(error instanceof Refusal && error.code === 'ALREADY_EXISTS')) throw error
      })
    },
  }
}
