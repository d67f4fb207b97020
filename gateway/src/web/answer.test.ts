import assert from 'node:assert/strict'
import type { Gig } from '@carapace/api'
import { until } from '@carapace/testing'
import { makeGig } from '../testing/gig.ts'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('the page of a record', () => {
  let harness: Harness
  let gig: Gig
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())
  beforeEach(() => {
    gig = makeGig()
    harness.upstream.gigs.set(gig.id, gig)
    commentsAre([])
  })
  const talk = () => `/internal/v1/gigs/${gig.id}/applicants-and-comments?applicants=20&comments=20`
  const commentsAre = (comments: object) => harness.upstream.reports.set(talk(), { applicants: [], comments })
  const refuseComments = () => harness.upstream.reports.delete(talk())
  /** They are answered as soon as the result is called. */
  const holdComments = () => {
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    harness.upstream.held.set(talk(), held)
    return release
  }
  const get = (headers: Record<string, string> = {}) => fetch(`${harness.url}/gigs/${gig.id}`, { headers })
  const read = async (headers: Record<string, string> = {}) => {
    const answer = await get(headers)
    return { status: answer.status, etag: answer.headers.get('etag')!, age: answer.headers.get('age'), text: await answer.text() }
  }
  /** Past the micro-cache. */
  const readAgain = (headers: Record<string, string> = {}) => read({ 'cache-control': 'no-cache', ...headers })

  for (const encoding of ['identity', 'gzip', 'br'])
    describe(`in ${encoding}`, () => {
      const accepted = { 'accept-encoding': encoding }

      it('shows in its place that a part is refused, when it has begun already', async () => {
        refuseComments()
        const release = holdComments()
        const page = await get(accepted)

        const decoder = new TextDecoder()
        let shown = ''
        let beginning: string | undefined
        for await (const part of page.body!) {
          shown += decoder.decode(part, { stream: true })
          if (beginning !== undefined || !shown.includes('</h1>')) continue
          beginning = shown
          release()
        }

        assert.equal(page.status, 200)
        assert.doesNotMatch(beginning!, /Comments/)
        assert.match(shown, /<h1>Audit a vault<\/h1>.*The panel cannot be read now.*Comments cannot be read now.*<\/html>\s*$/s)
      })

      it('breaks off after a fault of ours, and is stored nowhere', async () => {
        commentsAre({ faulty: true })
        const release = holdComments()
        const page = await get(accepted)
        release()
        await assert.rejects(page.text())
        assert.equal(page.status, 200)

        commentsAre([])
        const whole = await read(accepted)

        assert.match(whole.text, /<\/html>\s*$/)
        assert.deepEqual([whole.status, whole.age], [200, null])
        await until('a whole one is stored', async () => (await read(accepted)).age === '0')
      })
    })

  it('is a page that says so after a fault of ours, to a reader that has nothing of it yet', async () => {
    const { etag } = await read()
    commentsAre({ faulty: true })
    const [named, head] = [
      await get({ 'if-none-match': etag, 'cache-control': 'no-cache' }),
      await fetch(`${harness.url}/gigs/${gig.id}`, { method: 'HEAD' }),
    ]

    assert.deepEqual(
      [named, head].map(({ status, headers }) => [status, headers.get('content-type'), headers.get('cache-control'), headers.get('etag')]),
      [named, head].map(() => [500, 'text/html; charset=utf-8', 'private, no-store', null]),
    )
    assert.match(await named.text(), /<h1>Something went wrong here<\/h1>.*<\/html>\s*$/s)
  })

  it('is 304 by the tag it came with and by that of its content, until it changes', async () => {
    const { etag } = await read()
    for (const reading of [read, readAgain]) {
      const unchanged = await reading({ 'if-none-match': etag })
      assert.deepEqual([unchanged.status, unchanged.etag, unchanged.text], [304, etag, ''])
    }

    harness.upstream.gigs.set(gig.id, { ...gig, description: 'Every second line of it.' })
    const changed = await readAgain({ 'if-none-match': etag })

    assert.equal(changed.status, 200)
    assert.match(changed.text, /Every second line of it/)
    assert.equal((await readAgain({ 'if-none-match': changed.etag })).status, 304)
  })
})
