import { setImmediate as others } from 'node:timers/promises'
import { type Explanation, explaining, type Inputs } from '@carapace/formula'
import type { StoredScore } from '../stored-score.ts'

export type Explained = Pick<StoredScore, 'formulaVersion' | 'at' | 'facts'> & { inputs: Pick<Inputs, 'hash'> }

const mostHeld = 200

/** Explanations, each computed once: what is explained never changes. Others are answered while one is computed. */
export function explanations(): (agentId: string, score: Explained) => Promise<Explanation> {
  const held = new Map<string, Promise<Explanation>>()
  return (agentId, { formulaVersion, at, facts, inputs }) => {
    const key = [agentId, formulaVersion, at.toISOString(), inputs.hash].join('/')
    const found = held.get(key) ?? unhurried(explaining(formulaVersion, facts, at))
    // the one that was read last is dropped last
    held.delete(key)
    held.set(key, found)
    for (const oldest of held.keys()) {
      if (held.size <= mostHeld) break
      held.delete(oldest)
    }
    return found
  }
}

async function unhurried<T>(steps: Generator<undefined, T, undefined>): Promise<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    await others()
  }
}
