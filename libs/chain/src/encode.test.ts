import assert from 'node:assert/strict'
import fc from 'fast-check'
import { contractInterface } from './abi.ts'
import { batchResults, encodeBatch } from './batch.ts'
import { commandTable } from './commands.ts'
import { type Addresses, contractNames } from './contract-names.ts'
import { encodeCall } from './encode.ts'
import { toChecksum } from './keys.ts'

const addresses = Object.fromEntries(
  contractNames.map((name, index) => [name, toChecksum(`0x${(index + 1).toString(16).padStart(40, '0')}`)]),
) as unknown as Addresses
const hex = (min: number, max: number) => fc.uint8Array({ minLength: min, maxLength: max }).map(bytes => `0x${Buffer.from(bytes).toString('hex')}`)

describe('encoding', () => {
  it('of plain words is what the ABI coder makes', () => {
    fc.assert(
      fc.property(hex(20, 20), fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }), (to, value) => {
        const { data } = encodeCall({ contract: 'USDC', fn: 'transfer', args: [to, value] }, addresses, to)
        assert.equal(data, contractInterface('USDC').encodeFunctionData('transfer', [to, value]))
      }),
    )
  })

  it('of a batch is what the ABI coder makes', () => {
    const call = fc.record({ id: hex(32, 32), to: hex(20, 20), gas: fc.bigInt({ min: 1n, max: 10_000_000n }), data: hex(0, 300) })
    fc.assert(
      fc.property(fc.array(call, { maxLength: 6 }), calls => {
        const tuples = calls.map(({ id, to, gas, data }) => ({ id, target: to, gas, data }))
        assert.equal(encodeBatch(calls, addresses).data, contractInterface('Batcher').encodeFunctionData('run', [tuples]))
      }),
    )
  })

  it('reads a batch apart, call by call', () => {
    const abi = contractInterface('Batcher')
    const id = `0x${'11'.repeat(32)}`
    const logs = [
      { address: addresses.USDC, topics: ['0x01'], data: '0x', logIndex: '0x0' },
      { address: addresses.Batcher, ...abi.encodeEventLog('OpResult', [id, true, '0x']), logIndex: '0x1' },
      { address: addresses.Batcher, ...abi.encodeEventLog('OpResult', [id, false, '0x08c379a0']), logIndex: '0x2' },
      { address: addresses.Batcher, ...abi.encodeEventLog('OpSkipped', [id]), logIndex: '0x3' },
    ]

    const results = batchResults(logs, addresses.Batcher)

    assert.deepEqual(
      results.map(({ outcome, ret, logs: own }) => [outcome, ret, own.length]),
      [
        ['ok', '0x', 1],
        ['failed', '0x08c379a0', 0],
        ['skipped', '0x', 0],
      ],
    )
  })

  it('finds every function that a command may call in the ABI', () => {
    for (const command of Object.values(commandTable)) {
      const source = `${command.call}${command.effect ?? ''}`
      // records of these are on the contract that they were opened on
      const bound = (
        { escrow: 'Escrow', job: 'Commerce', domain: 'DomainRegistry', bond: 'Bond', swarm: 'SwarmValidator' } as Record<string, string>
      )[command.kind.split('.')[0]!]
      const names = [
        ...[...source.matchAll(/contract: '(\w+)',\s*fn: '([^']+)'/g)].map(([, contract, fn]) => [contract, fn] as const),
        ...[...source.matchAll(/\bon\(a, '([^']+)'/g)].map(([, fn]) => [bound, fn] as const),
      ]
      assert.ok(names.length > 0 || /to: a\./.test(source) || /once|seat/.test(source), command.kind)
      for (const [contract, fn] of names) assert.ok(contractInterface(contract as 'USDC').getFunction(fn!), `${command.kind}: ${contract}.${fn}`)
    }
  })
})
