import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openSystem, until } from '@carapace/testing'
import { processVariables } from '../config.ts'
import { startChild, temporaryDataDir } from '../testing/child.ts'
import { escrowOf, fundedJob } from '../testing/job.ts'

const run = promisify(execFile)
const doctor = fileURLToPath(new URL('../doctor/main.js', import.meta.url))
const manual = new URL('../../../../docs/operate.md', import.meta.url)

describe('a backup of the embedded start', function () {
  this.timeout(300_000)
  const folders: Awaited<ReturnType<typeof temporaryDataDir>>[] = []
  const newFolder = async () => {
    const folder = await temporaryDataDir()
    folders.push(folder)
    return folder.path
  }
  after(() => Promise.all(folders.map(folder => folder.remove())))

  /** Starts, lets `use` play, and ends in order. */
  const during = async <T>(dataDir: string, use: (system: Awaited<ReturnType<typeof openSystem>>) => Promise<T>): Promise<T> => {
    const child = await startChild(dataDir)
    try {
      const system = await openSystem(child.url)
      try {
        return await use(system)
      } finally {
        system.close()
      }
    } finally {
      await child.stop()
    }
  }

  it('is made and restored into another folder by the commands of the manual; there all goes on, and the doctor finds no fault', async () => {
    const commands = /### The embedded start\n.*?```sh\n(.*?)```/s.exec(await readFile(manual, 'utf8'))![1]!
    const [dataDir, backup] = [await newFolder(), await newFolder()]
    const restored = path.join(await newFolder(), 'restored')
    const job = await during(dataDir, system => fundedJob(system))

    await run('bash', ['-euc', commands], { cwd: backup, env: { PATH: processVariables.PATH, DATA_DIR: dataDir, RESTORED: restored } })

    await during(restored, async system => {
      assert.equal((await escrowOf(system, job.gigId)).status, 'locked')
      await fundedJob(system)
      const examine = () => run(process.execPath, [doctor], { env: { PATH: processVariables.PATH, DATA_DIR: restored } })
      const faults = () =>
        examine().then(
          () => '',
          ({ stdout }: { stdout: string }) => stdout,
        )
      // events of the job are still on their way
      await until(
        'the doctor finds no fault',
        async () => {
          const found = await faults()
          if (found) throw new Error(found)
          return true
        },
        120,
      )
    })
  })
})
