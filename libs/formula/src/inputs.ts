import { createHash } from 'node:crypto'
import { type Logged, marketId } from './facts.ts'

/** What a stored score was computed from: the facts of the agent, of those it inherited from and of the market up to a place in the audit log. */
export type Inputs = {
  count: number
  /** Place of the last one in the audit log; 0 without any. */
  lastSeq: number
  /** SHA-256 over all of them. */
  hash: string
  /** Agents that it had inherited from; absent where there are none. */
  sources?: string[]
}

/** @example inputsOf('a', []) // { count: 0, lastSeq: 0, hash: 'e3b0…' } */
export function inputsOf(agentId: string, log: readonly Logged[]): Inputs {
  const lines = log.map(textOf).sort()
  const hash = createHash('sha256')
  for (const line of lines) hash.update(`${line}\n`)
  const sources = [...new Set(log.map(fact => fact.agentId))].filter(id => id !== agentId && id !== marketId).sort()
  const lastSeq = log.reduce((last, { seq = 0 }) => Math.max(last, seq), 0)
  return { count: log.length, lastSeq, hash: hash.digest('hex'), ...(sources.length > 0 ? { sources } : {}) }
}

/** The moment first, then the fact with its keys in order. */
const textOf = ({ seq: _, at, ...fact }: Logged): string =>
  `${at.toISOString()} ${JSON.stringify(Object.entries(fact).sort(([a], [b]) => (a < b ? -1 : 1)))}`
