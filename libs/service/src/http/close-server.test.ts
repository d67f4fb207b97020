import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { closeServer, fastExpress, listen } from './server.ts'

/** Sends a write to the address that it gets, and makes a file once it is connected. */
const client = `const { request } = require('node:http')
process.on('message', ([url, connected]) => request(url, { method: 'POST' })
  .on('socket', socket => socket.on('connect', () => require('node:fs').writeFileSync(connected, '')))
  .on('response', response => process.send(String(response.statusCode)))
  .on('error', error => process.send(String(error)))
  .end())
process.send('ready')
`
const longestMs = 10_000

describe('a server that closes', function () {
  this.timeout(20_000)
  let folder: string
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carapace-client-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('answers a write on a connection that was made while it was busy', async () => {
    const file = path.join(folder, 'client.cjs')
    await writeFile(file, client)
    const { app, server } = fastExpress()
    app.post('/', (_request, response) => void response.json({}))
    const url = await listen(server, 0, '127.0.0.1')
    const child = fork(file, { execArgv: [] })
    try {
      await once(child, 'message')
      const connected = path.join(folder, 'connected')
      child.send([url, connected])
      // the event loop must not run: it would accept the connection
      for (const end = performance.now() + longestMs; !existsSync(connected) && performance.now() < end; );
      const closed = closeServer(server, 5_000)
      const [answer] = await once(child, 'message')

      assert.equal(answer, '200')
      await closed
    } finally {
      // else its channel would hold this process open after a failure
      child.kill()
    }
  })
})
