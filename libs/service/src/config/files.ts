import { readFileSync } from 'node:fs'

type Environment = Record<string, string | undefined>

/**
 * Puts the content of a file in the place of `NAME_FILE`, for each of the names: so secrets are mounted and are in no environment. The end of the last
 * line is not part of the value.
 * @throws Error that names each variable that is given twice or whose file cannot be read; contents are never in it
 */
export function withFiles(names: readonly string[], environment: Environment): Environment {
  const values = { ...environment }
  const faults: string[] = []
  for (const name of names) {
    const variable = `${name}_FILE`
    const file = environment[variable]
    // some names end so themselves: CUSTODY_SEED_FILE is a path
    if (!file || names.includes(variable)) continue
    delete values[variable]
    if (environment[name]) faults.push(`${name} and ${variable} are both set: one of them is enough`)
    else {
      try {
        values[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
      } catch (error) {
        faults.push(`${variable} names ${file}, which cannot be read: ${(error as NodeJS.ErrnoException).code}`)
      }
    }
  }
  if (faults.length > 0) throw new Error(faults.join('; '))
  return values
}
