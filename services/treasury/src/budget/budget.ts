import { dayMs, limitChanged, limits, refuse } from '@carapace/api'
import type { Decision } from '@carapace/store'

/** What an agent may spend in one UTC day, over all networks. */
export interface Budget {
  /** The agent's id. */
  id: string
  /** µ */
  dailyLimit: bigint
  /** A higher limit that holds from then on. */
  raise: { limit: bigint; at: Date } | null
  /** UTC day (`2026-01-31`) that `spent` speaks of. */
  day: string
  /** Accepted on that day and not given back: executed and reserved. µ */
  spent: bigint
}

const raiseDelayMs = limits.treasury.queueDelayMs

export const newBudget = (id: string): Budget => ({ id, dailyLimit: limits.treasury.defaultDailyMicro, raise: null, day: '', spent: 0n })

export const dayOf = (now: Date): string => now.toISOString().slice(0, 10)
export const nextResetAt = (now: Date): Date => new Date((Math.floor(now.getTime() / dayMs) + 1) * dayMs)
export const limitAt = ({ dailyLimit, raise }: Budget, now: Date): bigint => (raise && raise.at <= now ? raise.limit : dailyLimit)
export const spentOn = ({ day, spent }: Budget, now: Date): bigint => (day === dayOf(now) ? spent : 0n)
/** A limit that was lowered below what is spent leaves nothing, not less than nothing. */
export function remainingOn(budget: Budget, now: Date): bigint {
  const left = limitAt(budget, now) - spentOn(budget, now)
  return left > 0n ? left : 0n
}

/** Counts an amount against the day of its acceptance. @throws DAILY_LIMIT_REACHED */
export function spend(budget: Budget, amount: bigint, now: Date): Decision<Budget> {
  const remaining = remainingOn(budget, now)
  if (amount > remaining) {
    const resetAt = nextResetAt(now)
    refuse(
      'DAILY_LIMIT_REACHED',
      { dailyLimit: Number(limitAt(budget, now)), remaining: Number(remaining), required: Number(amount), nextResetAt: resetAt.toISOString() },
      { retryAfter: Math.ceil((resetAt.getTime() - now.getTime()) / 1000) },
    )
  }
  return { state: { ...budget, day: dayOf(now), spent: spentOn(budget, now) + amount }, events: [] }
}

/** Gives an amount back that was accepted on `day`, if that day is still the one that counts. */
export function returnSpent(budget: Budget, amount: bigint, day: string): Decision<Budget> | undefined {
  return budget.day === day ? { state: { ...budget, spent: budget.spent - amount }, events: [] } : undefined
}

/** Counts again what was given back and has left the wallet after all: by an operator's order, so no limit refuses it. */
export function recountSpent(budget: Budget, amount: bigint, day: string): Decision<Budget> | undefined {
  return budget.day === day ? { state: { ...budget, spent: budget.spent + amount }, events: [] } : undefined
}

/** Lowering holds immediately; raising after ten minutes, so that a stolen session cannot empty the wallet in one go. */
export function setLimit(budget: Budget, limit: bigint, now: Date, isImmediate: boolean): Decision<Budget> & { effectiveAt: Date } {
  const present = limitAt(budget, now)
  const waits = limit > present && !isImmediate
  const effectiveAt = waits ? new Date(now.getTime() + raiseDelayMs) : now
  const state = waits ? { ...budget, dailyLimit: present, raise: { limit, at: effectiveAt } } : { ...budget, dailyLimit: limit, raise: null }
  return {
    state,
    effectiveAt,
    events: [limitChanged.of({ agentId: budget.id, dailyLimit: limit, previousLimit: present, effectiveAt: effectiveAt.toISOString() })],
  }
}
