/** One row of the glossary's tables of private words. */
export interface PrivateWord {
  /** All its forms, lower case; one may have several words. */
  forms: readonly string[]
  /** What to say instead. */
  say: string
  /** It is fine in a sentence and inside a name, and says too little as a whole name. */
  isNameOnly?: true
}

/** A private word that stays in one place. */
export interface Exception {
  forms: readonly string[]
  /** Path, or path prefix that ends with `/`, from the root of the repository; `*` = everywhere. */
  where: string
  /** The whole phrases in which it stays, such as `dead letter`; none = all. */
  phrases: readonly string[]
  reason: string
}

export interface Glossary {
  words: readonly PrivateWord[]
  exceptions: readonly Exception[]
}

/**
 * Reads the tables under "Private words", "Private names" and "Exceptions" of docs/glossary.md.
 * @throws Error when the first or the last is missing or empty
 */
export function readGlossary(markdown: string): Glossary {
  const privateWords = (heading: string): PrivateWord[] =>
    rowsUnder(markdown, heading).map(([forms = '', say = '']) => ({ forms: listOf(forms), say }))
  const words = filled(privateWords('Private words'), 'Private words')
  const names = privateWords('Private names').map(row => ({ ...row, isNameOnly: true as const }))
  const exceptions = rowsUnder(markdown, 'Exceptions').map(([forms = '', phrase = '', where = '', reason = '']) => ({
    forms: listOf(forms),
    phrases: listOf(phrase).filter(Boolean),
    where: where.replaceAll('`', ''),
    reason,
  }))
  return { words: [...words, ...names], exceptions: filled(exceptions, 'Exceptions') }
}

function filled<Row>(rows: readonly Row[], heading: string): readonly Row[] {
  if (rows.length === 0) throw new Error(`docs/glossary.md has no table under "${heading}"`)
  return rows
}

const listOf = (cell: string): string[] => cell.split(',').map(form => form.trim().toLowerCase())

function rowsUnder(markdown: string, heading: string): string[][] {
  const [, section = ''] = markdown.split(new RegExp(`^## ${heading}$`, 'm'))
  const [table = ''] = section.split(/^## /m)
  return table
    .split('\n')
    .filter(line => line.startsWith('|'))
    .slice(2)
    .map(line =>
      line
        .slice(1, -1)
        .split('|')
        .map(cell => cell.trim()),
    )
}
