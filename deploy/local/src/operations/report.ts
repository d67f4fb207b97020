import { median } from '@carapace/testing'
import { type ActName, type Goal, goals, idleGoal } from './goals.ts'
import { type CountedAct, type Counts, sumOf } from './operation-counter.ts'

export interface Measured {
  /** One entry for each play. */
  acts: Record<ActName, CountedAct>[]
  /** All operations of a system at rest, per second, one entry for each window. */
  idlePerSecond: number[]
  /** What belonged to no act while the acts were played. */
  backgroundPerSecond: number
}

const kinds = ['finds', 'updates', 'inserts and deletes', 'others'] as const satisfies readonly (keyof Counts)[]
const widths = [38, 26, 8, 9, 8, 13, 9]

/** Writes the table. @returns false where the median of the plays lies above a ceiling */
export function report({ acts, idlePerSecond, backgroundPerSecond }: Measured, print: (line: string) => void): boolean {
  const rows = Object.entries(goals).map(([name, goal]) => {
    const counts = acts.map(play => play[name as ActName].counts())
    const totals = counts.map(sumOf)
    const parts = kinds.map(kind => median(counts.map(one => one[kind])))
    return rowOf(goal, parts.join(' / '), median(totals), Math.max(...totals))
  })
  // much of it runs once a minute: a part of one says little
  const atRest = Number((idlePerSecond.reduce((sum, one) => sum + one, 0) / idlePerSecond.length).toFixed(1))
  const idle = rowOf(idleGoal, '', atRest, atRest)
  const all = [...rows, idle]
  print(inColumns(['database operations', kinds.join(' / ').replace('inserts and deletes', 'ins+del'), 'median', 'maximum', 'goal', '', 'ceiling']))
  for (const { cells } of all) print(inColumns(cells))
  print(
    `Medians of ${acts.length} plays; the median decides: events of one moment that drift apart cost a play more. Each act has what carries its trace: also the events, calls`,
  )
  print('and commands that it sets off. Not in it: polls, deadlines that it armed, and what the relayer does for many commands together')
  print('(blocks, cursors, states of transactions), so an act with chain work meets its goal in part at most. All of that and the reads of')
  print(`this bench: ${backgroundPerSecond.toFixed(1)} operations per second while the acts were played.`)
  print(`At rest: the mean of all windows; the median of them is ${median(idlePerSecond)}, the highest ${Math.max(...idlePerSecond)}.`)
  const failed = all.filter(({ isAbove }) => isAbove)
  for (const { act } of failed) print(`FAIL ${act}: above its ceiling`)
  return failed.length === 0
}

/** Writes where the operations of each act go: the mean of all plays, by kind and collection, most first. */
export function reportPlaces({ acts }: Pick<Measured, 'acts'>, print: (line: string) => void): void {
  for (const [name, { act }] of Object.entries(goals)) {
    const totals = new Map<string, number>()
    for (const play of acts) for (const [place, times] of play[name as ActName].places()) totals.set(place, (totals.get(place) ?? 0) + times)
    print(act)
    for (const [place, times] of [...totals].sort((one, other) => other[1] - one[1]))
      print(`  ${(times / acts.length).toFixed(1).padStart(6)}  ${place}`)
  }
}

function rowOf({ act, goal, ceiling, hasChainWork }: Goal, parts: string, middle: number, most: number) {
  const isAbove = middle > ceiling
  const met = hasChainWork ? 'met in part' : 'met'
  const cells = [act, parts, `${middle}`, `${most}`, `≤ ${goal}`, most <= goal ? met : 'not met', `≤ ${ceiling}${isAbove ? ' FAIL' : ''}`]
  return { act, isAbove, cells }
}

const inColumns = (cells: readonly string[]): string =>
  cells
    .map((cell, at) => cell.padEnd(widths[at]!))
    .join(' ')
    .trimEnd()
