import assert from 'node:assert/strict'
import { createChain } from './chain.ts'
import type { Upstream } from './upstream.ts'

describe('a call that reads the whole chain', () => {
  for (const method of ['evm_snapshot', 'anvil_snapshot', 'anvil_dumpState']) {
    it(`reaches anvil between two blocks only: ${method}`, async () => {
      const calls: string[] = []
      let finishBlock: () => void = assert.fail
      const block = new Promise<void>(resolve => (finishBlock = resolve))
      const answers: Record<string, () => unknown> = { evm_mine: () => block, eth_getBlockByNumber: () => ({ transactions: [] }) }
      const request = async (name: string) => {
        calls.push(`${name} begins`)
        const answer = await (answers[name] ?? (() => ({ pending: '0x0' })))()
        calls.push(`${name} ends`)
        return answer
      }
      const upstream = { request } as unknown as Upstream
      const chain = createChain({ isGasless: false, ready: async () => undefined, port: () => 0, upstream: () => upstream, onError: assert.ifError })

      const mined = chain.handle('evm_mine', [])
      const whole = chain.handle(method, [])
      await chain.handle('eth_chainId', [])
      finishBlock()
      await Promise.all([mined, whole])

      assert.ok(calls.indexOf('evm_mine ends') < calls.indexOf(`${method} begins`), calls.join(', '))
    })
  }
})
