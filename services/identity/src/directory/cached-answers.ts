/** A query over entries that are in memory. */
export interface Question<Entry> {
  /** Equal for equal questions; null = the answer changes with time alone and is not cached. */
  key: string | null
  holds(entry: Entry): boolean
  /** Which of two different entries comes first in the answer; never 0. */
  order(a: Entry, b: Entry): number
}

/** The latest answers, updated with every change: a repeated question costs nothing, however many entries it matches. */
export interface CachedAnswers<Entry> {
  /** All entries that the question holds for. `candidates` are searched when the answer is not cached. */
  to(question: Question<Entry>, candidates: () => Iterable<Entry>): readonly Entry[]
  /** One entry replaces another; undefined = none. Entries themselves never change. */
  change(before: Entry | undefined, after: Entry | undefined): void
}

/** An order of entries by age; those of one moment by id. */
export const newestFirst = (a: Dated, b: Dated): number => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1)
interface Dated {
  id: string
  createdAt: Date
}

const maxAnswers = 500
/** Of all cached answers together: 8 MB. */
const maxEntries = 1_000_000

export function cachedAnswers<Entry>(): CachedAnswers<Entry> {
  interface Answer {
    question: Question<Entry>
    found: Entry[]
  }
  /** In order of the last use. */
  const answers = new Map<string, Answer>()
  let size = 0

  const store = (key: string, answer: Answer) => {
    answers.set(key, answer)
    size += answer.found.length
    while (answers.size > maxAnswers || size > maxEntries) {
      const [oldest, { found }] = answers.entries().next().value!
      answers.delete(oldest)
      size -= found.length
    }
  }

  return {
    to: (question, candidates) => {
      const { key } = question
      const cached = key === null ? undefined : answers.get(key)
      if (key !== null && cached) {
        answers.delete(key)
        answers.set(key, cached)
        return cached.found
      }
      const found = [...candidates()].filter(entry => question.holds(entry)).sort(question.order)
      if (key !== null) store(key, { question, found })
      return found
    },
    change: (before, after) => {
      for (const { question, found } of answers.values()) {
        if (before && question.holds(before)) {
          found.splice(lowerBound(found, before, question.order), 1)
          size -= 1
        }
        if (after && question.holds(after)) {
          found.splice(lowerBound(found, after, question.order), 0, after)
          size += 1
        }
      }
    },
  }
}

/** Where a value is, or belongs, in a sorted list: binary search. */
export function lowerBound<T>(sorted: readonly T[], value: T, order: (a: T, b: T) => number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const present = sorted[middle]!
    if (present !== value && order(present, value) < 0) low = middle + 1
    else high = middle
  }
  return low
}
