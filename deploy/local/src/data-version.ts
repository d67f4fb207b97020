import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** Raised when stored documents change so that this code does not read the old ones. There is no migration before the first release. */
const dataVersion = 5

/**
 * Notes next to a new embedded database in which form its documents are.
 * @throws Error for one of another form: books that are half understood are worse than none
 */
export async function holdDataVersion(dataDir: string): Promise<void> {
  const file = path.join(dataDir, 'version')
  if (!existsSync(path.join(dataDir, 'mongo'))) return writeFile(file, `${dataVersion}\n`)
  const found = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? '1' : Promise.reject(error)))
  if (Number(found) !== dataVersion)
    throw new Error(
      `${dataDir} holds data in form ${found.trim()}, this version reads form ${dataVersion}: start the version that made it, or move the folder away`,
    )
}
