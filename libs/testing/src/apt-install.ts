import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Installs a package of Debian, where that is possible: as root, and unless TEST_NO_APT=1. Whether it is there now is for the caller to see. */
export async function aptInstall(name: string): Promise<void> {
  const mayInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version') && process.env.TEST_NO_APT !== '1'
  if (!mayInstall) return
  // RUNLEVEL prevents a package from starting a server of its own.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const apt = (...args: string[]) => run('apt-get', ['-q', '-y', '-o', 'DPkg::Lock::Timeout=180', ...args], { env })
  const attempt = () => apt('install', '--no-install-recommends', name)
  await attempt()
    .catch(async () => {
      await apt('update')
      await attempt()
    })
    .catch(() => {})
}
