import assert from 'node:assert/strict'
import { until } from '@carapace/testing'
import { pino } from 'pino'
import { type DueWork, type WorkOptions, workThrough } from './work-through.ts'

const log = pino({ level: 'silent' })

/** Work that lasts until it is released, and a list of what is due. */
function place() {
  const due: string[] = []
  const begun: string[] = []
  const releases = new Map<string, () => void>()
  const pieceOf = (id: string): DueWork => ({
    id,
    key: id[0]!,
    work: () => {
      begun.push(id)
      due.splice(due.indexOf(id), 1)
      return new Promise<void>(resolve => releases.set(id, resolve))
    },
  })
  const find: WorkOptions['due'] = async ({ keys, ids }, limit) =>
    due
      .filter(id => !keys.includes(id[0]!) && !ids.includes(id))
      .slice(0, limit)
      .map(pieceOf)
  const release = (id: string) => releases.get(id)!()
  return { due, begun, release, find }
}

describe('work that is due', () => {
  it('does not wait for work of others, also where that came before and is slow', async () => {
    const { due, begun, release, find } = place()
    due.push('a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1')
    const worked = workThrough({ most: 4, mostPerKey: 2, due: find, log }, new AbortController().signal)

    await until('each key has its share', () => begun.length === 3)
    due.push('c1')
    release('b1')
    await until('what became due meanwhile is begun', () => begun.includes('c1'))
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1'])
    release('a1')
    await until('the next of the slow key is begun', () => begun.includes('a3'))

    for (let released = 0; due.length > 0 || released < begun.length; released++) {
      await until('there is one to release', () => begun.length > released)
      release(begun[released]!)
    }
    await worked
    assert.equal(begun.length, 8)
  })

  it('is left to the next run where it fails', async () => {
    let tries = 0
    const failing: DueWork = {
      id: 'x',
      key: 'x',
      work: async () => {
        tries++
        throw new Error('no')
      },
    }
    const due: WorkOptions['due'] = async ({ ids }) => (ids.includes('x') ? [] : [failing])

    await workThrough({ most: 2, mostPerKey: 1, due, log }, new AbortController().signal)

    assert.equal(tries, 1)
  })

  it('is not begun any more once the process ends', async () => {
    const { due, begun, release, find } = place()
    due.push('a1', 'a2')
    const ending = new AbortController()
    const worked = workThrough({ most: 1, mostPerKey: 1, due: find, log }, ending.signal)
    await until('one is begun', () => begun.length === 1)

    ending.abort()
    release('a1')
    await worked

    assert.deepEqual([begun, due], [['a1'], ['a2']])
  })
})
