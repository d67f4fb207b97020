import path from 'node:path'
import { parseSync } from 'oxc-parser'

/** An import of another file of the same package. */
export interface Import {
  /** Path from the root of the repository. */
  file: string
  /** Nothing of it is left when the program runs. */
  isType: boolean
}

/**
 * The relative imports and re-exports of a source file.
 * @param file path from the root of the repository
 * @throws Error when the file cannot be parsed
 */
export function importsIn(file: string, source: string): Import[] {
  const { module, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const imports = module.staticImports.map(({ moduleRequest, entries }) => ({
    from: moduleRequest.value,
    isType: entries.length > 0 && entries.every(entry => entry.isType),
  }))
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) => (moduleRequest ? [{ from: moduleRequest.value, isType }] : [])),
  )
  return [...imports, ...exports]
    .filter(({ from }) => from.startsWith('.'))
    .map(({ from, isType }) => ({ file: path.posix.join(path.posix.dirname(file), from), isType }))
}
