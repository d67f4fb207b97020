import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { until } from '@carapace/testing'
import { processVariables } from '../config.ts'
import { childAroundTests } from '../testing/around-tests.ts'
import { startChild, temporaryDataDir } from '../testing/child.ts'
import { freePorts } from '../testing/ports.ts'

interface Ended {
  code: number
  text: string
}

/** @param enough ends the program as soon as it has printed this */
function run(program: string, variables: Record<string, string>, args: string[] = [], enough?: string): Promise<Ended> {
  const file = fileURLToPath(new URL(program, import.meta.url))
  const env = { PATH: processVariables.PATH, ...variables }
  return new Promise(resolve => {
    const child = execFile(process.execPath, [file, ...args], { env, timeout: 240_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, text: stdout + stderr }),
    )
    let printed = ''
    child.stdout!.on('data', chunk => {
      printed += chunk
      if (enough !== undefined && printed.includes(enough)) child.kill()
    })
  })
}

describe("the operator's tools", function () {
  this.timeout(300_000)
  const child = childAroundTests(() => ({ LOG_LEVEL: '' }))

  it('find the running system by its data folder, and name it', async () => {
    const { text } = await run('../doctor/main.js', { DATA_DIR: child.dataDir })

    assert.ok(text.includes(`The system at ${child.url}, started with ${child.dataDir}`), text)
  })

  it('play the demo on the system of a data folder, or of a PORT that is named', async () => {
    const other = await temporaryDataDir()
    const announced = `One gig, one job and one name on each of 2 networks, at ${child.url}`
    try {
      const byFolder = await run('../demo/main.js', { DATA_DIR: child.dataDir }, [], announced)
      const byPort = await run('../demo/main.js', { DATA_DIR: other.path, PORT: new URL(child.url).port }, [], announced)
      const nowhere = await run('../demo/main.js', { DATA_DIR: other.path, PORT: '9' })

      for (const { text } of [byFolder, byPort]) assert.ok(text.includes(announced), text)
      assert.equal(nowhere.code, 1)
      assert.match(nowhere.text, /Does the system run/)
    } finally {
      await other.remove()
    }
  })

  it('refuse to judge a system of another data folder', async () => {
    const other = await temporaryDataDir()
    try {
      const unknown = await run('../doctor/main.js', { DATA_DIR: child.dataDir }, ['http://127.0.0.1:9'])
      const empty = await run('../doctor/main.js', { DATA_DIR: other.path }, [child.url])

      assert.deepEqual([unknown.code, empty.code], [1, 1])
      assert.match(unknown.text, /is not the system of/)
      assert.match(empty.text, /nothing was started in/)
    } finally {
      await other.remove()
    }
  })

  it('find it by a PORT that is named, before any data folder', async () => {
    const other = await temporaryDataDir()
    const second = await startChild(other.path)
    try {
      const own = await run('../doctor/main.js', { DATA_DIR: other.path, PORT: new URL(second.url).port })
      const judged = await run('../doctor/main.js', { DATA_DIR: other.path, PORT: new URL(child.url).port })

      assert.ok(own.text.includes(`The system at ${second.url}, started with`), own.text)
      assert.match(judged.text, new RegExp(`${child.url} is not the system of ${other.path}`))
    } finally {
      await second.stop()
      await other.remove()
    }
  })

  it('refuse to judge a system that another folder has started on the port of a killed one', async () => {
    const [killed, other] = [await temporaryDataDir(), await temporaryDataDir()]
    // not one that the system hands out: another process could have it as soon as the first is killed
    const port = String(await freePorts(1))
    const first = await startChild(killed.path, { PORT: port })
    await first.kill9()
    const second = await startChild(other.path, { PORT: port })
    try {
      const { code, text } = await run('../doctor/main.js', { DATA_DIR: killed.path, PORT: port })

      assert.equal(code, 1)
      assert.match(text, /is not the system of/)
    } finally {
      await second.stop()
      // its networks outlive a killed process: the next start adopts them, and ends them
      await (await startChild(killed.path)).stop()
      await killed.remove()
      await other.remove()
    }
  })

  it('of a start print no line for a request, which would bury the banner', async () => {
    for (const path of ['/api/agents', '/no-such-thing', '/api/gigs?limit=x']) await fetch(`${child.url}${path}`)
    await until('the banner is whole', () => child.printed().some(line => line.startsWith('API reference')))

    assert.deepEqual(
      child.printed().filter(line => /\/api\/agents\b(?!-)|no-such-thing|limit=x|"status"/.test(line)),
      [],
    )
  })

  it('of a start on a free port print a link that signs the operator in there', async () => {
    const line = await until('the link is printed', () => child.printed().find(one => one.startsWith('Operator page')))
    const link = line.slice(line.indexOf('http'))

    assert.equal(new URL(link).origin, child.url)
    assert.ok((await fetch(link, { redirect: 'manual' })).headers.get('set-cookie'))
  })

  it('of a start whose port is in use name the variable to change', async () => {
    const other = await temporaryDataDir()
    try {
      const occupied = await run('../main.js', { DATA_DIR: other.path, PORT: new URL(child.url).port, DEVNET_RPC_PORT: '0' })

      assert.equal(occupied.code, 1)
      assert.match(occupied.text, /set PORT to a free one/)
    } finally {
      await other.remove()
    }
  })
})
