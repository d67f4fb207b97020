import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { until } from '@carapace/testing'
import { makeLog } from '../telemetry/log.ts'
import { closeServer, fastExpress, listen } from './server.ts'
import { EventStream, endStreams, eventFrame, sendEvents } from './stream.ts'

describe('a stream of events', () => {
  const log = makeLog({ process: 'test', level: 'silent' })
  const closers: (() => Promise<unknown>)[] = []

  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
  })

  const serve = async (stream: EventStream) => {
    const { app, server } = fastExpress()
    app.use((request, response) => sendEvents(request, response, stream, {}, log))
    closers.push(async () => {
      endStreams(app)
      await closeServer(server, 0)
    })
    const request = get(await listen(server, 0, '127.0.0.1'))
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    return answer
  }
  const large = (id: number) => eventFrame({ id: String(id), event: 'large', data: 'x'.repeat(1_000_000) })

  it('is cut when its reader accepts nothing, after whole frames whose ids say where to resume', async () => {
    let produced = 0
    let isOver = false
    const stream = new EventStream(async function* () {
      try {
        while (true) yield large(++produced)
      } finally {
        isOver = true
      }
    }, 50)

    const answer = await serve(stream)
    await until('it is cut', () => isOver)

    let text = ''
    await assert.rejects(async () => {
      for await (const chunk of answer) text += chunk
    })
    const ids = [...text.matchAll(/^id: (\d+)\nevent: large\ndata: ".*"\n\n/gm)].map(([, id]) => Number(id))
    assert.deepEqual(
      ids,
      ids.map((_, at) => at + 1),
    )
    assert.ok(ids.length < produced, `${ids.length} of ${produced}`)
  })

  it('goes on with a reader that is slower than the events, as long as it reads', async () => {
    const frames = 30
    const stream = new EventStream(async function* () {
      for (let id = 1; id <= frames; id++) yield large(id)
    }, 20_000)

    const answer = await serve(stream)
    let text = ''
    for await (const chunk of answer) text += chunk

    assert.equal([...text.matchAll(/^id: /gm)].length, frames)
  })
})
