import type { Glossary } from './glossary.ts'
import type { Spoken } from './spoken.ts'

export interface Finding extends Spoken {
  file: string
  word: string
  say: string
}

/** Lower-case words of a text: camelCase and kebab-case names come apart. @example wordsOf('keepInLine') // ['keep', 'in', 'line'] */
export const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9']+/)
    .filter(word => word !== '')

/** The private words among what a file says, without those that an exception covers. */
export function privateWordsIn(file: string, spoken: readonly Spoken[], { words, exceptions }: Glossary): Finding[] {
  const sayOf = new Map(words.flatMap(({ forms, say }) => forms.map(form => [form, say] as const)))
  const here = exceptions.filter(({ where }) => where === '*' || where === file || (where.endsWith('/') && file.startsWith(where)))
  return spoken.flatMap(one => {
    const inOrder = wordsOf(one.text)
    const sentence = inOrder.join(' ')
    const isAllowed = (word: string) =>
      here.some(({ forms, phrase }) => forms.includes(word) && (phrase === '' || sentence.includes(wordsOf(phrase).join(' '))))
    const found = new Set(inOrder.filter(word => sayOf.has(word) && !isAllowed(word)))
    return [...found].map(word => ({ ...one, file, word, say: sayOf.get(word)! }))
  })
}
