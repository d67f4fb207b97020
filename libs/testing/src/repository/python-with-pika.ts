import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { aptInstall } from '../apt-install.ts'

const run = promisify(execFile)
const debians = '/usr/bin/python3'
const version = '1.4.4'
const ways =
  'There is Python, and no pika for the test of docs/events.md. Any of these will do: pip install pika, run as root on Debian without TEST_NO_APT=1, or let pip reach a registry'

/**
 * A Python that has pika: the one in the path, else that of Debian, which root may install, else one in `folder` that pip fills. Undefined where there is
 * no Python at all.
 * @throws Error that names the ways to pika
 */
export async function pythonWithPika(folder: string): Promise<string | undefined> {
  const has = (python: string) => works(python, '-c', 'import pika')
  for (const python of ['python3', debians]) if (await has(python)) return python
  await aptInstall('python3-pika')
  if (await has(debians)) return debians
  if (!(await works('python3', '--version'))) return undefined
  const own = path.join(folder, 'python')
  const isMade = (await works('python3', '-m', 'venv', own)) && (await works(path.join(own, 'bin/pip'), 'install', '-q', `pika==${version}`))
  if (!isMade) throw new Error(ways)
  return path.join(own, 'bin/python')
}

const works = (program: string, ...args: string[]): Promise<boolean> =>
  run(program, args).then(
    () => true,
    () => false,
  )
