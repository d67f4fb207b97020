import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const waits = 90

/** Installs a package of Debian, where that is possible: as root, and unless TEST_NO_APT=1. Whether it is there now is for the caller to see. */
export async function aptInstall(name: string): Promise<void> {
  const mayInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version') && process.env.TEST_NO_APT !== '1'
  if (!mayInstall) return
  // RUNLEVEL prevents a package from starting a server of its own.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1', LC_ALL: 'C' }
  const apt = (...args: string[]) => run('apt-get', ['-q', '-y', '-o', 'DPkg::Lock::Timeout=180', ...args], { env })
  const attempt = () => apt('install', '--no-install-recommends', name)
  // apt waits for the lock of its packages and not for that of its lists, which another test file may hold
  const update = async (left = waits): Promise<void> => {
    try {
      await apt('update')
    } catch (error) {
      if (left === 0 || !/could not get lock/i.test(String(error))) throw error
      await pause(2_000)
      await update(left - 1)
    }
  }
  await attempt()
    .catch(async () => {
      await update()
      await attempt()
    })
    .catch(() => {})
}
