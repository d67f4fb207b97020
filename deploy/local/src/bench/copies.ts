/** What distinguishes the records of a population from those of its copies. */
export interface Marks {
  /** Ids and addresses that are the same in all copies, lower-case: the platform's own. */
  shared: ReadonlySet<string>
  /** Names without an id in them. */
  names: readonly string[]
}

/** Makes the copy of that number. */
type Copier<T> = (number: number) => T

/** Any hexadecimal id, hash or address: the last eight digits are replaced by the number of the copy. */
const key = /\b(?:0x)?[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}(?:[0-9a-f]{8}|[0-9a-f]{32})?\b/gi

export const copiedKey = (found: string, number: number): string => found.slice(0, -8) + number.toString(16).padStart(8, '0')

/** Finds the marks of a document once, so that each of many thousand copies costs only what differs in it. */
export function copiers({ shared, names }: Marks): (document: Record<string, unknown>) => Copier<Record<string, unknown>> {
  // a name in its only group, or a key; the longest name first, since one may be the beginning of another
  const longestFirst = [...names].sort((a, b) => b.length - a.length)
  const marked = new RegExp(`(${longestFirst.join('|')})|${key.source}`, 'gi')

  function textCopier(text: string): Copier<string> | undefined {
    const parts: (string | Copier<string>)[] = []
    let end = 0
    for (const match of text.matchAll(marked)) {
      const [found, name] = match
      if (name === undefined && shared.has(found.toLowerCase())) continue
      parts.push(text.slice(end, match.index), name === undefined ? number => copiedKey(found, number) : number => `${name}-${number}`)
      end = match.index + found.length
    }
    if (parts.length === 0) return undefined
    parts.push(text.slice(end))
    return number => parts.map(part => (typeof part === 'string' ? part : part(number))).join('')
  }

  /** Undefined where nothing in it differs. */
  function valueCopier(value: unknown): Copier<unknown> | undefined {
    if (typeof value === 'string') return textCopier(value)
    if (Array.isArray(value)) {
      const items = value.map(valueCopier)
      return items.some(item => item) ? number => items.map((item, at) => (item ? item(number) : value[at])) : undefined
    }
    return isPlain(value) ? objectCopier(value) : undefined
  }

  function objectCopier(object: Record<string, unknown>): Copier<Record<string, unknown>> | undefined {
    const fields = Object.entries(object).map(([name, value]) => ({ name, value, nameCopier: textCopier(name), valueCopier: valueCopier(value) }))
    if (!fields.some(field => field.nameCopier ?? field.valueCopier)) return undefined
    return number => {
      const copy: Record<string, unknown> = {}
      for (const { name, value, nameCopier, valueCopier } of fields) copy[nameCopier?.(number) ?? name] = valueCopier ? valueCopier(number) : value
      return copy
    }
  }

  return document => objectCopier(document) ?? (() => ({ ...document }))
}

/** Not a date, an id or a number of the database. */
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
