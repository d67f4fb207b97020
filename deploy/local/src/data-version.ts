import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** The first form that is migrated (`migrations` of the services). Those before it were never released. */
const firstForm = 5

/**
 * Notes next to a new embedded database in which form its documents are.
 * @throws Error for one of an earlier form, with what to run: books that are half understood are worse than none
 */
export async function holdDataVersion(dataDir: string): Promise<void> {
  const file = path.join(dataDir, 'version')
  if (!existsSync(path.join(dataDir, 'mongo'))) return writeFile(file, `${firstForm}\n`)
  const found = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? '1' : Promise.reject(error)))
  if (Number(found) < firstForm)
    throw new Error(
      `${dataDir} holds data in form ${found.trim()}, from before the first one that is migrated. To begin again and preserve it: mv ${dataDir} ${dataDir}.form-${found.trim()}`,
    )
}
