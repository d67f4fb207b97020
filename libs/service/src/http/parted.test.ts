import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage, request } from 'node:http'
import { PartedText, sendParted } from './parted.ts'
import { closeServer, fastExpress, listen } from './server.ts'

describe('an answer in parts', () => {
  const closers: (() => Promise<unknown>)[] = []

  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
  })

  const serve = async (restOf: () => Promise<string>) => {
    const { app, server } = fastExpress()
    app.use((request_, response) => {
      sendParted(request_, response, new PartedText('<h1>first</h1>', restOf), {}).catch(() => response.destroy())
    })
    closers.push(() => closeServer(server, 0))
    return await listen(server, 0, '127.0.0.1')
  }
  const read = async (url: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(url, { headers })
    return { status: answer.status, etag: answer.headers.get('etag')!, length: answer.headers.get('content-length'), text: await answer.text() }
  }

  it('begins before its end is made', async () => {
    let finish: (text: string) => void = assert.fail
    const rest = new Promise<string>(resolve => {
      finish = resolve
    })
    const [answer] = (await once(get(await serve(() => rest)), 'response')) as [IncomingMessage]

    const [beginning] = (await once(answer, 'data')) as [Buffer]
    assert.equal(String(beginning), '<h1>first</h1>')

    finish('<p>rest</p>')
    const [end] = (await once(answer, 'data')) as [Buffer]
    assert.equal(String(end), '<p>rest</p>')
  })

  it('is not sent again to a reader that names its tag, until it changes', async () => {
    let rest = 'old'
    const url = await serve(async () => rest)
    const { etag } = await read(url)

    const unchanged = await read(url, { 'if-none-match': `"other", ${etag}` })
    assert.deepEqual([unchanged.status, unchanged.text, unchanged.etag], [304, '', etag])

    rest = 'new'
    const changed = await read(url, { 'if-none-match': etag })
    assert.deepEqual([changed.status, changed.text], [200, '<h1>first</h1>new'])
    assert.equal((await read(url, { 'if-none-match': changed.etag })).status, 304)
  })

  it('has another tag each time, and the one of its content for a reader that names any', async () => {
    const url = await serve(async () => 'same')
    const [one, other] = [await read(url), await read(url)]

    assert.notEqual(one.etag, other.etag)
    const named = await Promise.all(['"a"', '"b"'].map(tag => read(url, { 'if-none-match': tag })))
    assert.equal(named[0]!.etag, named[1]!.etag)
    assert.equal(named[0]!.length, String(Buffer.byteLength(one.text)))
  })

  it('has the length of the whole for HEAD', async () => {
    const sent = request(await serve(async () => '…'), { method: 'HEAD' }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]

    assert.equal(answer.headers['content-length'], String(Buffer.byteLength('<h1>first</h1>…')))
    answer.resume()
  })

  it('breaks off where its end cannot be made', async () => {
    const url = await serve(() => Promise.reject(new Error('lost')))

    await assert.rejects(read(url))
  })
})
