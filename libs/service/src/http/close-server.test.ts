import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { closeServer, fastExpress, listen } from './server.ts'

/** Sends a write to the address that it gets. */
const client = `process.on('message', url => fetch(url, { method: 'POST' }).then(
  response => process.send(String(response.status)), error => process.send(String(error.cause ?? error))))
process.send('ready')
`
const busyMs = 300

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
    await once(child, 'message')

    child.send(url)
    for (const end = performance.now() + busyMs; performance.now() < end; );
    const closed = closeServer(server, 5_000)
    const [answer] = await once(child, 'message')

    assert.equal(answer, '200')
    child.kill()
    await closed
  })
})
