import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { openSystem, type System } from '@carapace/testing'
import { type Child, startChild, temporaryDataDir } from '../testing/child.ts'
import { deliver, fundedJob, gigIs, openPanel, vote } from '../testing/job.ts'
import { assertPaid } from '../testing/scenarios.ts'

describe('the embedded start', function () {
  this.timeout(240_000)
  let folder: Awaited<ReturnType<typeof temporaryDataDir>>
  let child: Child
  let system: System
  before(async () => {
    folder = await temporaryDataDir()
    child = await startChild(folder.path)
    system = await openSystem(child.url)
  })
  after(async () => {
    system?.close()
    await child?.stop()
    await folder?.remove()
  })
  const startAgain = async () => {
    system.close()
    child = await startChild(folder.path)
    system = await openSystem(child.url)
  }

  it('is refused a second time on the same folder', async () => {
    await assert.rejects(startChild(folder.path), /is in use by process/)
  })

  it('is refused on data from before the first form that is migrated, and says what to run', async () => {
    const old = await temporaryDataDir()
    await mkdir(path.join(old.path, 'mongo'))

    await assert.rejects(
      startChild(old.path),
      /holds data in form 1, from before the first one that is migrated\. To begin again and preserve it: mv \S+ \S+\.form-1/,
    )

    await old.remove()
  })

  it('goes on with a funded gig after kill -9, and again after an orderly end', async () => {
    await Promise.all(Array.from({ length: 3 }, () => system.newPlayer({ prefix: 'validator' })))
    const job = await fundedJob(system)
    await deliver(system, job)

    await child.kill9()
    await startAgain()
    const { id, panel } = await openPanel(system, job)
    await vote(system, id, panel.slice(0, 1), 'approve')
    await child.stop()
    await startAgain()
    await vote(system, id, panel.slice(1, 2), 'approve')

    await gigIs(system, job.gigId, 'completed')
    await assertPaid(system, job)
  })
})
