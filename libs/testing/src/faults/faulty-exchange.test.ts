import assert from 'node:assert/strict'
import { newExchange, newMemory } from './faulty-exchange.ts'
import { noFaults } from './faulty-node.ts'

describe('a node that misbehaves', () => {
  const exchange = (faults: Partial<typeof noFaults>) => {
    const all = { ...noFaults }
    const one = newExchange({ faults: all, random: () => 0.5, memory: newMemory(), onSwallowed: () => undefined })
    /** What a client gets for a call that the node answers with `result`; undefined for nothing. */
    const call = (method: string, params: unknown[], result: unknown): unknown => {
      const { passed, answers } = one.called(JSON.stringify({ id: 1, method, params }))
      const text = passed === undefined ? answers[0] : one.answered(JSON.stringify({ id: 1, result }))
      return text === undefined ? undefined : (JSON.parse(text).result ?? JSON.parse(text).error ?? null)
    }
    call('eth_getBlockByNumber', ['latest'], { number: '0x5', hash: '0xold' })
    Object.assign(all, faults)
    return call
  }
  const log = { blockNumber: '0x5' }
  const receipt = { blockNumber: '0x6', logs: [log] }

  it('passes all by default', () => {
    const call = exchange({})
    assert.deepEqual(call('eth_getLogs', [{}], [log]), [log])
    assert.equal(call('eth_getTransactionCount', ['0xa', 'latest'], '0x2'), '0x2')
  })

  it('knows neither a new block nor a reorganisation while its head does not move', () => {
    const call = exchange({ staleBy: 0 })
    assert.equal(call('eth_blockNumber', [], '0x8'), '0x5')
    assert.deepEqual(call('eth_getBlockByNumber', ['latest'], { number: '0x5', hash: '0xnew' }), { number: '0x5', hash: '0xold' })
    assert.equal(call('eth_getBlockByNumber', ['0x6'], { number: '0x6', hash: '0xnew' }), null)
    assert.equal(call('eth_getTransactionReceipt', ['0xa'], receipt), null)
  })

  it('hides logs and receipts, counts wrongly, refuses and loses', () => {
    assert.deepEqual(exchange({ hideLogs: 1 })('eth_getLogs', [{}], [log]), [])
    assert.deepEqual(exchange({ hideLogs: 1 })('eth_getBlockReceipts', ['0xa'], [receipt]), [{ ...receipt, logs: [] }])
    assert.equal(exchange({ hideReceipts: true })('eth_getBlockReceipts', ['0xa'], [receipt]), null)
    assert.equal(exchange({ nonceOffset: 3 })('eth_getTransactionCount', ['0xa', 'latest'], '0x2'), '0x5')
    assert.equal((exchange({ refuse: 1 })('eth_call', [{}], '0x') as { code: number }).code, -32603)
    assert.equal(exchange({ lose: 1 })('eth_call', [{}], '0x'), undefined)
  })
})
