import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { start } from '../start.ts'
import { refusalOf } from '../testing/test-server.ts'
import { torture } from '../torture/torture.ts'

const main = new URL('../main.js', import.meta.url).pathname

async function inFolder(action: (path: string) => Promise<void>): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), 'embedded-mongo-durability-'))
  try {
    await action(path)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}

/** Runs the program to its end, or to its ready line. */
async function launch(command: string, args: readonly string[]) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const ready = new Promise<string | undefined>(resolve => {
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const uri = /^ready (\S+)$/m.exec(output)?.[1]
      if (uri) resolve(uri)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('close', () => resolve(undefined))
  })
  const closed = once(child, 'close')
  return {
    uri: await ready,
    output: () => output,
    end: async (signal: NodeJS.Signals) => {
      child.kill(signal)
      return (await closed)[0] as number | null
    },
    closed,
  }
}

describe('what is on disk', () => {
  it('has every acknowledged change for a change stream that goes on after SIGKILL', () =>
    inFolder(async path => {
      const first = await launch(process.execPath, [main, '--data', path, '--port', '0'])
      const client = await new MongoClient(first.uri!).connect()
      const items = client.db('d').collection<{ _id: number }>('items')
      const stream = items.watch()
      const opening = stream.next()
      // The driver opens the stream with the first read: writes until it has seen one.
      let written = 0
      let isSeen = false
      void opening.then(() => (isSeen = true)).catch(() => undefined)
      while (!isSeen) await items.insertOne({ _id: written++ })
      const token = (await opening)._id
      const seen = ((await opening) as unknown as { documentKey: { _id: number } }).documentKey._id
      for (let i = 0; i < 200; i++) await items.insertOne({ _id: written++ })
      await stream.close()
      await first.end('SIGKILL')
      await client.close()

      const second = await launch(process.execPath, [main, '--data', path, '--port', '0'])
      const again = await new MongoClient(second.uri!).connect()
      const resumed = again.db('d').collection<{ _id: number }>('items').watch([], { resumeAfter: token })
      for (let expected = seen + 1; expected < written; expected++)
        assert.equal(((await resumed.next()) as unknown as { documentKey: { _id: number } }).documentKey._id, expected)
      await again.close()
      await second.end('SIGTERM')
    }))

  it('survives SIGKILL at random moments: nothing acknowledged is lost, nothing is torn, every index is whole', async function () {
    this.timeout(60_000)
    const report = await torture({ rounds: 3, killAfterMs: [200, 700], writers: 9 })

    assert.ok(report.acknowledgedInserts > 0 && report.acknowledgedTransactions > 0 && report.acknowledgedIncrements > 0)
    const { lost, torn, wrongCounters, brokenIndexes, duplicates } = report
    assert.deepEqual(
      { lost, torn, wrongCounters, brokenIndexes, duplicates },
      { lost: 0, torn: 0, wrongCounters: 0, brokenIndexes: 0, duplicates: 0 },
    )
  })

  it('belongs to one engine at a time, in this process and in others', () =>
    inFolder(async path => {
      const server = await start({ path, port: 0 })
      await assert.rejects(start({ path, port: 0 }), /in use by another engine/)
      const other = await launch(process.execPath, [main, '--port', '0', '--data', path])
      await other.closed
      assert.match(other.output(), /in use by another engine/)

      await server.close()
      await (await start({ path, port: 0 })).close()
    }))

  it('is there again after SIGTERM, which the program ends with status 0', () =>
    inFolder(async path => {
      const first = await launch(process.execPath, [main, '--port', '0', '--data', path])
      const client = await new MongoClient(first.uri!).connect()
      await client.db('a').collection('b').insertOne({ c: 1 })
      await client.close()
      assert.equal(await first.end('SIGTERM'), 0)

      const second = await start({ path, port: 0 })
      const again = await new MongoClient(second.uri).connect()
      assert.equal(await again.db('a').collection('b').countDocuments({ c: 1 }), 1)
      await again.close()
      await second.close()
    }))

  it('holds when the disk is full: the command fails, and acknowledged writes stay', async function () {
    this.timeout(60_000)
    await inFolder(async path => {
      const limited = await launch('/bin/sh', ['-c', `ulimit -f 6000; exec "${process.execPath}" "${main}" --port 0 --data "${path}"`])
      const client = await new MongoClient(limited.uri!).connect()
      const items = client.db('a').collection<{ _id: number }>('items')
      let stored = 0
      const refusal = await refusalOf(
        (async () => {
          for (;;) {
            await items.insertOne({ _id: stored, pad: 'x'.repeat(100_000) } as never)
            stored += 1
          }
        })(),
      )

      assert.equal(refusal.code, 14031)
      assert.ok(stored > 5)
      assert.equal(await items.countDocuments(), stored)
      await items.deleteMany({ _id: { $lt: 5 } }).catch(() => {})
      await client.close()
      await limited.end('SIGTERM')
    })
  })

  it('must be writable, else the program says so and ends; a socket is its owner’s alone', () =>
    inFolder(async path => {
      await writeFile(join(path, 'file'), '')
      const server = await start({ path: join(path, 'inner'), socket: join(path, 'm.sock') })
      assert.equal((await stat(join(path, 'm.sock'))).mode & 0o777, 0o600)
      await server.close()
      const refused = await launch(process.execPath, [main, '--port', '0', '--data', join(path, 'file', 'inner')])
      assert.notEqual((await refused.closed)[0], 0)
      assert.match(refused.output(), /cannot open the data folder/)
    }))
})
