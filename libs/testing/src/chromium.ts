import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { aptInstall } from './apt-install.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome']
const ways =
  'No Chromium for the tests of the site. Any of these will do: set CHROMIUM to its program, install chromium, or run as root on Debian without TEST_NO_APT=1'

/** The program: the one that CHROMIUM names, an installed one, else Debian's, which root may install. @throws Error that names the ways to one */
export async function findChromium(): Promise<string> {
  const named = process.env.CHROMIUM
  if (named !== undefined) return named
  const installed = inPath()
  if (installed !== undefined) return installed
  await aptInstall('chromium')
  const found = inPath()
  if (found === undefined) throw new Error(ways)
  return found
}

function inPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return names.flatMap(name => folders.map(folder => join(folder, name))).find(file => existsSync(file))
}
