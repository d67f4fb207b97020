import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { type Started, startThings } from '../testing/start-things.fixture.ts'

const page = '/api/things/a/page'

describe('an answer in parts', () => {
  let service: Started

  before(async () => {
    service = await startThings()
  })
  after(() => service.close())

  const restIs = (rest: () => Promise<string>) => {
    service.harness.restOfPage = rest
  }
  const read = async (headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await service.call(method, page, { headers })
    return { ...answer, etag: answer.headers.get('etag')!, length: answer.headers.get('content-length') }
  }

  it('begins before its end is made', async () => {
    let finish: (text: string) => void = assert.fail
    const rest = new Promise<string>(resolve => {
      finish = resolve
    })
    restIs(() => rest)
    const [answer] = (await once(get(service.url + page), 'response')) as [IncomingMessage]

    const [beginning] = (await once(answer, 'data')) as [Buffer]
    assert.equal(String(beginning), '<h1>first</h1>')

    finish('<p>rest</p>')
    const [end] = (await once(answer, 'data')) as [Buffer]
    assert.equal(String(end), '<p>rest</p>')
  })

  it('has the headers of its handler and those of any read', async () => {
    restIs(async () => 'same')
    const { status, headers } = await read()

    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(headers.get('cache-control'), 'public, max-age=1')
    assert.ok(headers.get('x-request-id'))
  })

  it('is not sent again to a reader that names its tag, until it changes', async () => {
    restIs(async () => 'old')
    const { etag } = await read()

    const unchanged = await read({ 'if-none-match': `"other", ${etag}` })
    assert.deepEqual([unchanged.status, unchanged.text, unchanged.etag], [304, '', etag])

    restIs(async () => 'new')
    const changed = await read({ 'if-none-match': etag })
    assert.deepEqual([changed.status, changed.text], [200, '<h1>first</h1>new'])
    assert.equal((await read({ 'if-none-match': changed.etag })).status, 304)
  })

  it('has another tag each time, and the one of its content for a reader that names any', async () => {
    restIs(async () => 'same')
    const [one, other] = [await read(), await read()]

    assert.notEqual(one.etag, other.etag)
    const named = await Promise.all(['"a"', '"b"'].map(tag => read({ 'if-none-match': tag })))
    assert.equal(named[0]!.etag, named[1]!.etag)
    assert.equal(named[0]!.length, String(Buffer.byteLength(one.text)))
  })

  it('has the length of the whole for HEAD', async () => {
    restIs(async () => '…')

    assert.equal((await read({}, 'HEAD')).length, String(Buffer.byteLength('<h1>first</h1>…')))
  })

  it('breaks off where its end cannot be made, and is the answer to that for a reader to whom nothing is out yet', async () => {
    restIs(() => Promise.reject(new Error('lost')))

    await assert.rejects(read())
    const whole = await read({ 'if-none-match': '"a"' })
    assert.deepEqual([whole.status, whole.text], [500, '<h1>Error: lost</h1>'])
    assert.deepEqual(
      ['content-type', 'cache-control'].map(name => whole.headers.get(name)),
      ['text/html; charset=utf-8', 'no-store'],
    )
    assert.equal((await read({}, 'HEAD')).status, 500)
  })
})
