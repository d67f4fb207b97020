import type { PageQuery } from '@carapace/api'
import { cachedAnswers, lowerBound, newestFirst, type Question } from './cached-answers.ts'
import { reusedNumbers } from './reused-numbers.ts'

/** A text to be found. */
export interface Entry {
  id: string
  text: string
  createdAt: Date
}

/**
 * Texts in memory, found by any part of them. A part of up to three characters is read from the index; a longer one is compared with those texts only
 * that contain its rarest three characters in a row.
 * Memory: 10 to 20 bytes per character of the texts (15 MB for 10,000 agents with the usual 150 characters), and the cached answers.
 */
export interface TextIndex {
  /** Adds an entry, or replaces the one with its id. */
  put(entry: Entry): void
  remove(id: string): void
  /** Ids of one page of the entries that hold this, newest first; `first`, if it is among them, before all others. */
  find(part: string, page: PageQuery, first?: string): { ids: string[]; total: number }
}

const longestGram = 3

export function textIndex(): TextIndex {
  /** By number; that of an entry which was removed goes to the next new one. */
  const entries: (Entry | undefined)[] = []
  const numbers = reusedNumbers()
  /** Numbers of the entries that contain one, two or three characters in a row, rising. */
  const postings: Postings = new Map()
  const answers = cachedAnswers<Entry>()

  const entryOf = (id: string) => entries[numbers.get(id) ?? -1]
  const replace = (id: string, after: Entry | undefined) => {
    const before = entryOf(id)
    if (before?.text === after?.text) return
    const number = numbers.of(id)
    const [was, is] = [gramsOf(before?.text ?? ''), gramsOf(after?.text ?? '')]
    for (const gram of was) if (!is.has(gram)) drop(postings, gram, number)
    for (const gram of is) if (!was.has(gram)) add(postings, gram, number)
    entries[number] = after
    if (!after) numbers.release(id)
    answers.change(before, after)
  }

  return {
    put: entry => replace(entry.id, entry),
    remove: id => replace(id, undefined),
    find: (part, { limit, offset }, first) => {
      const found = answers.to(holding(part), () => rarest(postings, part).flatMap(number => entries[number] ?? []))
      const led = first === undefined ? undefined : entryOf(first)
      const ownRank = led?.text.includes(part) ? lowerBound(found, led, newestFirst) : -1
      const rankByAge = (rank: number) => (rank > ownRank ? rank : rank === 0 ? ownRank : rank - 1)
      const ranks = Array.from({ length: Math.max(0, Math.min(limit, found.length - offset)) }, (_, n) => offset + n)
      return { ids: ranks.map(rank => found[rankByAge(rank)]!.id), total: found.length }
    },
  }
}

const holding = (part: string): Question<Entry> => ({ key: part, holds: ({ text }) => text.includes(part), order: newestFirst })

function gramsOf(text: string): Set<string> {
  const grams = new Set<string>()
  for (let length = 1; length <= longestGram; length++) for (let at = 0; at + length <= text.length; at++) grams.add(text.slice(at, at + length))
  return grams
}

type Postings = Map<string, number[]>
const rising = (a: number, b: number): number => a - b

function add(postings: Postings, gram: string, number: number): void {
  const list = postings.get(gram)
  if (!list) postings.set(gram, [number])
  else if (list.at(-1)! < number) list.push(number)
  else list.splice(lowerBound(list, number, rising), 0, number)
}

function drop(postings: Postings, gram: string, number: number): void {
  const list = postings.get(gram)!
  if (list.length === 1) postings.delete(gram)
  else list.splice(lowerBound(list, number, rising), 1)
}

/** The shortest of the lists in which everything is that holds the part. */
function rarest(postings: Postings, part: string): readonly number[] {
  const length = Math.min(longestGram, part.length)
  let best: readonly number[] | undefined
  for (let at = 0; at + length <= part.length; at++) {
    const list = postings.get(part.slice(at, at + length)) ?? []
    if (!best || list.length < best.length) best = list
  }
  return best ?? []
}
