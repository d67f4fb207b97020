import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { WebSocket } from 'ws'
import {
  call,
  cleanups,
  freshFolder,
  hasEnded,
  open,
  payee,
  payments,
  type RpcAnswer,
  receipt,
  type Supervisor,
  sender,
  startSupervisor,
  until,
} from './test/support.ts'

type Payment = { raw: string; hash: string }

describe('a devnet under load', () => {
  const after = cleanups()
  afterEach(after.run)

  const batchSize = 5

  async function sendBatch(url: string, batch: Payment[]): Promise<RpcAnswer[]> {
    const calls = batch.map(({ raw, hash }) => ({ jsonrpc: '2.0', id: hash, method: 'eth_sendRawTransaction', params: [raw] }))
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(calls) })
    const answers = (await response.json()) as RpcAnswer | RpcAnswer[]
    return Array.isArray(answers) ? answers : []
  }
  /** Sends batch after batch and remembers what was acknowledged; ends at the first failure. */
  async function load(url: string, sent: Payment[], acknowledged: Payment[]): Promise<void> {
    for (let from = 0; from < sent.length; from += batchSize) {
      const batch = sent.slice(from, from + batchSize)
      const answers = await sendBatch(url, batch).catch(() => [])
      acknowledged.push(...batch.filter(({ hash }) => answers.some(({ result }) => result === hash)))
      if (answers.length < batch.length) return
    }
  }
  async function killUnderLoad(supervisor: Supervisor, sent: Payment[], kill: () => void): Promise<Payment[]> {
    const acknowledged: Payment[] = []
    const loading = load(supervisor.rpcUrl, sent, acknowledged)
    await until('some load', async () => acknowledged.length >= sent.length / 3)
    kill()
    await loading
    assert.ok(acknowledged.length < sent.length, 'it was killed in mid-load')
    return acknowledged
  }
  async function holdsAll(url: string, acknowledged: Payment[]): Promise<void> {
    for (const { hash } of acknowledged) assert.equal((await receipt(url, hash)).status, '0x1')
    const nonce = Number(await call<string>(url, 'eth_getTransactionCount', [sender.address, 'latest']))
    const paid = Number(await call<string>(url, 'eth_getBalance', [payee, 'latest']))
    // The batch that was under way when the kill came may have made it, unacknowledged.
    assert.ok(nonce >= acknowledged.length && nonce <= acknowledged.length + batchSize, `nonce ${nonce}, acknowledged ${acknowledged.length}`)
    assert.equal(paid, nonce)
  }

  it('loses no acknowledged transaction when anvil is killed, and its clients see a short outage only', async () => {
    const devnet = await open(after.add, { dataDir: await freshFolder(after.add) })
    const sent = await payments(300)
    const { pid } = devnet
    let hadSent = 0
    const sending = (async () => {
      for (let from = 0; from < sent.length; from += batchSize) {
        await until('acknowledgement', async () => {
          const answers = await sendBatch(devnet.rpcUrl, sent.slice(from, from + batchSize))
          return answers.length > 0 && answers.every(({ result, error }) => result ?? /already imported|nonce too low/.test(error?.message ?? ''))
        })
        hadSent += batchSize
      }
    })()
    const socket = new WebSocket(devnet.wsUrl)
    const closeCode = new Promise(resolve => socket.once('close', resolve))
    await until('some load', async () => hadSent >= 100 && socket.readyState === WebSocket.OPEN)

    process.kill(pid, 'SIGKILL')
    await sending

    assert.notEqual(devnet.pid, pid)
    assert.equal(await closeCode, 1012)
    await holdsAll(devnet.rpcUrl, sent)
  })

  it('goes on with its own living anvil when the supervisor was killed', async () => {
    const dataDir = await freshFolder(after.add)
    const first = await startSupervisor(after.add, dataDir)
    const acknowledged = await killUnderLoad(first, await payments(300), () => first.child.kill('SIGKILL'))
    await first.ended

    const second = await startSupervisor(after.add, dataDir)

    assert.equal(second.anvilPid, first.anvilPid)
    await holdsAll(second.rpcUrl, acknowledged)
    second.child.kill('SIGTERM')
    assert.equal(await second.ended, 0)
    assert.ok(hasEnded(second.anvilPid))
  })

  it('loses no acknowledged transaction when supervisor and anvil are killed', async () => {
    const dataDir = await freshFolder(after.add)
    const first = await startSupervisor(after.add, dataDir)
    const acknowledged = await killUnderLoad(first, await payments(300), () => {
      process.kill(first.anvilPid, 'SIGKILL')
      first.child.kill('SIGKILL')
    })
    await first.ended

    const second = await startSupervisor(after.add, dataDir)

    assert.notEqual(second.anvilPid, first.anvilPid)
    await holdsAll(second.rpcUrl, acknowledged)
  })

  it('has balances, code and clock that were set by fiat again after a kill of both', async () => {
    const dataDir = await freshFolder(after.add)
    const first = await startSupervisor(after.add, dataDir)
    await call(first.rpcUrl, 'anvil_setBalance', [payee, '0x64'])
    await call(first.rpcUrl, 'anvil_setCode', [`0x${'cc'.repeat(20)}`, '0x6001'])
    await call(first.rpcUrl, 'evm_increaseTime', [10_000])
    process.kill(first.anvilPid, 'SIGKILL')
    first.child.kill('SIGKILL')
    await first.ended

    const second = await startSupervisor(after.add, dataDir)

    assert.equal(await call(second.rpcUrl, 'eth_getBalance', [payee, 'latest']), '0x64')
    assert.equal(await call(second.rpcUrl, 'eth_getCode', [`0x${'cc'.repeat(20)}`, 'latest']), '0x6001')
    await call(second.rpcUrl, 'evm_mine')
    const { timestamp } = await call<{ timestamp: string }>(second.rpcUrl, 'eth_getBlockByNumber', ['latest', false])
    assert.ok(Number(timestamp) - Date.now() / 1000 > 9_990)
  })

  it('leaves no anvil to the next supervisor before it has the chain and its clock again', async () => {
    const dataDir = await freshFolder(after.add)
    const first = await startSupervisor(after.add, dataDir)
    await call(first.rpcUrl, 'evm_increaseTime', [10_000])
    const earlier = await anvilPort(dataDir)
    process.kill(first.anvilPid, 'SIGKILL')
    first.child.kill('SIGKILL')
    await first.ended

    const starting = startSupervisor(after.add, dataDir)
    const port = await until('another anvil to be found', async () => {
      const found = await anvilPort(dataDir)
      return found !== earlier && found
    })
    const offsetSec = await call<number>(`http://127.0.0.1:${port}`, 'evm_increaseTime', [0])

    assert.ok(offsetSec > 9_990, `its clock is ${offsetSec} s from ours`)
    await starting
  })

  it('replaces a living anvil that is not at the block its folder describes', async () => {
    const dataDir = await freshFolder(after.add)
    const first = await startSupervisor(after.add, dataDir)
    const acknowledged: Payment[] = []
    await load(first.rpcUrl, await payments(20), acknowledged)
    const { blockHash } = await receipt(first.rpcUrl, acknowledged.at(-1)!.hash)
    await until('record of the last block', async () => (await readFile(`${dataDir}/journal.1.ndjson`, 'utf8')).includes(blockHash))
    first.child.kill('SIGKILL')
    await first.ended
    const anvil = `http://127.0.0.1:${await anvilPort(dataDir)}`
    // Anvil may have made an empty block that its supervisor had no time to record.
    const unrecorded = Number(await call<string>(anvil, 'eth_blockNumber')) - (await lastRecordedBlock(dataDir))
    await call(anvil, 'anvil_rollback', [unrecorded + 1])

    const second = await startSupervisor(after.add, dataDir)

    assert.notEqual(second.anvilPid, first.anvilPid)
    assert.ok(hasEnded(first.anvilPid))
    await holdsAll(second.rpcUrl, acknowledged)
  })
})

async function anvilPort(dataDir: string): Promise<number> {
  return (JSON.parse(await readFile(`${dataDir}/anvil.json`, 'utf8')) as { port: number }).port
}

async function lastRecordedBlock(dataDir: string): Promise<number> {
  const lines = (await readFile(`${dataDir}/journal.1.ndjson`, 'utf8')).split('\n')
  const last = lines.findLast(line => line.includes('"kind":"block"') && line.endsWith('}'))
  return (JSON.parse(last!) as { number: number }).number
}
