import assert from 'node:assert/strict'
import { until } from '@carapace/testing'
import { pino } from 'pino'
import type { Job } from '../define.ts'
import { startJobs } from './jobs.ts'

describe('the jobs of a service', () => {
  const log = pino({ level: 'silent' })
  const clock = { now: () => new Date(5) }
  const seldom = 3_600_000

  it('run again and again with the time of the platform', async () => {
    const times: number[] = []
    const runner = startJobs([{ name: 'a', everyMs: 5, run: async now => times.push(now.getTime()) }], clock, log)

    await until('it ran three times', () => times.length >= 3)
    await runner.close()

    assert.equal(times[0], 5)
  })

  it('run one at a time, however long one lasts', async () => {
    let running = 0
    let most = 0
    let runs = 0
    const run = async () => {
      most = Math.max(most, ++running)
      await new Promise(resolve => setTimeout(resolve, 20))
      running--
      runs++
    }
    const runner = startJobs([{ name: 'slow', everyMs: 2, run }], clock, log)

    await until('it ran three times', () => runs >= 3)
    await runner.close()

    assert.equal(most, 1)
  })

  const faulty: [string, Job['run']][] = [
    ['rejects', () => Promise.reject(new Error('no'))],
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
  ]
  for (const [what, fail] of faulty)
    it(`do not end when one ${what}`, async () => {
      let runs = 0
      const run: Job['run'] = (now, ending) => {
        runs++
        return fail(now, ending)
      }
      const runner = startJobs([{ name: 'faulty', everyMs: 2, run }], clock, log)

      await until('it ran three times', () => runs >= 3)
      await runner.close()
    })

  it('run after the one under way when the clock was moved, and close waits for them', async () => {
    const order: string[] = []
    let finish = () => {}
    const run = async () => {
      order.push('begun')
      await new Promise<void>(resolve => (finish = resolve))
      order.push('ended')
    }
    const runner = startJobs([{ name: 'a', everyMs: seldom, run }], clock, log)
    const first = runner.runAll()
    await until('it began', () => order.length === 1)

    const moved = runner.runAll()
    finish()
    await first
    await until('it began again', () => order.length === 3)
    const closed = runner.close().then(() => order.push('closed'))
    finish()
    await Promise.all([moved, closed])

    assert.deepEqual(order, ['begun', 'ended', 'begun', 'ended', 'closed'])
  })
})
