import { secondsToEnd } from './orphans.ts'

describe('a start whose first process is killed', function () {
  this.timeout(120_000)
  // The torture requires 3 s, on a machine that does nothing else.
  for (const start of ['embedded', 'distributed'] as const)
    it(`ends all its processes but the chains' nodes: ${start}`, async () => {
      await secondsToEnd(start, 9)
    })
})
