import { startDistributedSubject } from './distributed.ts'
import type { Subject } from './subject.ts'
import { torture } from './torture.ts'

describe('settlements while processes are killed', function () {
  this.timeout(480_000)
  let subject: Subject
  before(async () => {
    subject = await startDistributedSubject()
  })
  after(() => subject?.end())

  it('are each made exactly once, and the ledger is what the contracts hold: 2 rounds, and the end of jobs by time', async () => {
    await torture(subject, { rounds: 2, settlements: 8, kills: 5, expiryKills: 10, seed: 7 })
  })
})
