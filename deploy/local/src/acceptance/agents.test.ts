import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { connect } from '@carapace/client'
import { until } from '@carapace/testing'
import { Wallet } from 'ethers'
import { processVariables } from '../config.ts'
import { childAroundTests } from '../testing/around-tests.ts'
import { type Child, startChild } from '../testing/child.ts'
import { freePorts } from '../testing/ports.ts'

const at = (place: string) => fileURLToPath(new URL(`../../../../${place}`, import.meta.url))
const env = { PATH: processVariables.PATH }

const page = readFileSync(at('libs/client/recipes.md'), 'utf8')
const [beginning, ...recipes] = [...page.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code]) => code!)
const titles = [...page.matchAll(/^## (\d+\. .*)$/gm)].map(([, title]) => title!)

describe('agents that are written with the SDK', function () {
  this.timeout(300_000)
  // signatures are over the name of the gateway: its port has to be known beforehand
  const child = childAroundTests(async () => ({ PORT: String(await freePorts(1)) }))
  let startedAgain: Child | undefined
  const agents: { process: ChildProcess; printed: () => string }[] = []

  /** Goes on until the end of the tests. */
  function start(example: string, ...more: string[]): { process: ChildProcess; printed: () => string } {
    const process_ = spawn(process.execPath, [at(`examples/${example}.js`), child.url, ...more], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    for (const output of [process_.stdout, process_.stderr])
      output.on('data', part => {
        text += part
      })
    const agent = { process: process_, printed: () => text }
    agents.push(agent)
    return agent
  }
  /** Until it ends. */
  const run = (file: string, ...more: string[]): Promise<{ text: string; code: number }> =>
    new Promise(resolve =>
      execFile(process.execPath, [file, child.url, ...more], { env, timeout: 150_000 }, (error, text, errors) =>
        resolve({ text: text + errors, code: error ? Number(error.code ?? 1) : 0 }),
      ),
    )

  before(async () => {
    const started = [start('worker'), ...Array.from({ length: 3 }, () => start('validator'))]
    for (const { printed } of started) await until('it is registered', () => /is ready/.test(printed()), 120)
  })
  after(async () => {
    for (const { process: one } of agents)
      if (one.exitCode === null && one.signalCode === null) {
        // one that a failed test has stopped ends of nothing else
        one.kill('SIGKILL')
        await once(one, 'exit')
      }
    await startedAgain?.stop()
  })

  it('settle a gig by themselves: the examples', async () => {
    const { text, code } = await run(at('examples/poster.js'))

    assert.equal(code, 0, text + agents.map(({ printed }) => printed()).join('\n'))
    assert.match(text, /is posted\n.*is assigned\n.*is funded\n.*is delivered\n.*is judged\n/s)
    assert.match(text, /24\.25 USDC paid, 0x[0-9a-f]{64}/)
    assert.deepEqual(
      agents.map(({ process: { exitCode } }) => exitCode),
      [null, null, null, null],
    )
  })

  it('go on where they left off: a poster that was killed posts and locks once', async () => {
    const { privateKey, address } = Wallet.createRandom()
    const first = start('poster', privateKey)
    await until('it is assigned', () => /is assigned/.test(first.printed()), 120)
    // it delivers when somebody waits for it: nobody goes on with a gig that is over
    const worker = agents[0]!.process
    worker.kill('SIGSTOP')
    await until('the budget is locked', () => /is funded/.test(first.printed()), 120)
    first.process.kill('SIGKILL')

    const second = start('poster', privateKey)
    await until('it goes on', () => /goes on with/.test(second.printed()), 60)
    worker.kill('SIGCONT')
    await until('it has ended', () => second.process.exitCode !== null, 150)

    const text = second.printed()
    assert.equal(second.process.exitCode, 0, text)
    assert.doesNotMatch(text, /is (posted|assigned|funded)/)
    assert.match(text, /24\.25 USDC paid, 0x[0-9a-f]{64}/)
    const client = connect({ baseUrl: child.url })
    const { agentId } = await client.reputation.getRiskByWallet({ params: { walletAddress: address } })
    const { gigs } = await client.marketplace.listAgentGigs({ params: { id: agentId }, query: { role: 'poster' } })
    assert.deepEqual(
      gigs.map(({ status }) => status),
      ['completed'],
    )
  })

  it('go on through a restart of the platform: workers, validators, streams and a poster that waits', async () => {
    const client = connect({ baseUrl: child.url })
    const seen: string[] = []
    const reading = new AbortController()
    const read = async () => {
      for await (const { type } of client.stream.events({ type: 'escrow.escrow.released', signal: reading.signal })) seen.push(type)
    }
    const stream = read()
    const poster = start('poster')
    await until('the budget is locked', () => /is funded/.test(poster.printed()), 120)

    await child.kill9()
    startedAgain = await startChild(child.dataDir, { PORT: new URL(child.url).port })

    await until('the gig is paid', () => /24\.25 USDC paid/.test(poster.printed()) || poster.process.exitCode !== null, 150)
    assert.match(poster.printed(), /24\.25 USDC paid/)
    await until('the stream has said so', () => seen.length > 0)
    reading.abort()
    await stream
    assert.deepEqual(
      agents.slice(0, 4).map(({ process: { exitCode, signalCode } }) => exitCode ?? signalCode),
      [null, null, null, null],
      agents.map(({ printed }) => printed()).join('\n'),
    )
  })

  it('are ten recipes', () => {
    assert.deepEqual([recipes.length, titles.length], [10, 10])
  })

  // first what needs a panel: agents that only register can be drawn too, and never vote
  const needsPanel = (n: number) => Number(/client\.hire\(/.test(recipes[n]!))
  for (const n of [...titles.keys()].sort((a, b) => needsPanel(b) - needsPanel(a)))
    it(`recipe ${titles[n]}`, async () => {
      // in the folder of this test the packages are found
      const file = fileURLToPath(new URL(`./recipe-${n + 1}.mjs`, import.meta.url))
      await writeFile(file, `${beginning}\n${recipes[n]}\nprocess.exit(0)\n`)

      const { text, code } = await run(file)

      await rm(file)
      assert.equal(code, 0, `${text}\n${agents.map(({ printed }) => printed()).join('\n')}`)
    })

  it('follow what happens on the platform', async () => {
    const signer = Wallet.createRandom()
    const client = connect({ baseUrl: child.url, signer })
    const { id } = await client.register({ handle: `reporter-${signer.address.slice(2, 10).toLowerCase()}` })
    // a new stream begins with what comes once it is open
    const posts = setInterval(() => {
      void client.marketplace.createGig({ body: { title: 'Report', description: 'What happens', budget: 5 } }).catch(() => undefined)
    }, 1_000)

    const found: unknown[] = []
    for await (const { type, data } of client.stream.events({ type: 'marketplace.gig.*', agent: id, signal: AbortSignal.timeout(120_000) })) {
      found.push([type, data.type])
      break
    }
    clearInterval(posts)

    assert.deepEqual(found, [['marketplace.gig.posted', 'marketplace.gig.posted']])
  })
})
