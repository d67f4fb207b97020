import assert from 'node:assert/strict'
import { endlessWalk } from './endless-walk.ts'

describe('an endless walk over records', () => {
  const ids = ['a', 'b', 'c', 'd', 'e']
  const find = async ({ _id }: Record<string, unknown>, { limit = 0 } = {}) =>
    ids.filter(id => id > (_id as { $gt: string }).$gt).flatMap((id, at) => (at < limit ? [{ id }] : []))
  let minute = 0
  const walk = () => endlessWalk({ find } as never, 2, { now: () => minute * 60_000 })
  const idsOf = async (next: ReturnType<typeof walk>) => (await next()).map(({ id }) => id).join('')

  it('has the next slice each minute, and begins again after the last', async () => {
    const next = walk()
    const seen: string[] = []
    for (minute = 1; minute <= 4; minute++) seen.push(await idsOf(next))

    assert.deepEqual(seen, ['ab', 'cd', 'e', 'ab'])
  })

  it('reads the slice of a minute again, so that what was found in it can be confirmed', async () => {
    const next = walk()

    assert.deepEqual([await idsOf(next), await idsOf(next)], ['ab', 'ab'])
  })
})
