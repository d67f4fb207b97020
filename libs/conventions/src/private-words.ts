import type { Glossary } from './glossary.ts'
import type { Spoken } from './spoken.ts'

export interface Finding extends Spoken {
  file: string
  word: string
  say: string
}

/** Lower-case words of a text: camelCase and kebab-case names come apart. @example wordsOf('sendInOrder') // ['send', 'in', 'order'] */
export const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9']+/)
    .filter(word => word !== '')

/** The private words among what a file says, without those inside the phrase of an exception. Rows and phrases may have several words. */
export function privateWordsIn(file: string, spoken: readonly Spoken[], { words, exceptions }: Glossary): Finding[] {
  const rows = words.flatMap(({ forms, say, isNameOnly }) => forms.map(form => ({ form, parts: wordsOf(form), say, isNameOnly })))
  const here = exceptions.filter(({ where }) => where === '*' || where === file || (where.endsWith('/') && file.startsWith(where)))
  return spoken.flatMap(one => {
    const clauses = one.text.split(/[.;:!?]\s/).map(wordsOf)
    const isAllowed = (form: string, clause: readonly string[], at: number) =>
      here.some(
        ({ forms, phrases }) => forms.includes(form) && (phrases.length === 0 || phrases.some(phrase => isInside(clause, wordsOf(phrase), at))),
      )
    return rows
      .filter(({ isNameOnly, parts }) => !isNameOnly || (one.kind === 'name' && wordsOf(one.text).join() === parts.join()))
      .filter(({ form, parts }) => clauses.some(clause => clause.some((_, at) => startsAt(clause, parts, at) && !isAllowed(form, clause, at))))
      .map(({ form, say }) => ({ ...one, file, word: form, say }))
  })
}

const startsAt = (words: readonly string[], parts: readonly string[], at: number): boolean => parts.every((part, n) => words[at + n] === part)
const isInside = (words: readonly string[], phrase: readonly string[], at: number): boolean =>
  phrase.some((_, before) => at >= before && startsAt(words, phrase, at - before))
