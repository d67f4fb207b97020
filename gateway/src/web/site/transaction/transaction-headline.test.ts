import assert from 'node:assert/strict'
import type { ChainLog } from '@carapace/api'
import { contractInterface, contractNames, onChainKey } from '@carapace/chain'
import { common, deeds, details } from './log-phrases.ts'
import { headline, sentence } from './transaction-headline.ts'
import { gigsOf, jobsOf } from './transaction-records.ts'

const gigId = '4f7c9a52-7a0e-4c11-9df5-0e6b0f1f2a3b'
const [poster, worker] = ['a', 'b'].map(digit => `0x${digit.repeat(40)}`)
const log = (contract: string, event: string, args: ChainLog['args']) => ({ contract, event, args }) as ChainLog
const transaction = (logs: ChainLog[], success = true) => ({ success, logs }) as Parameters<typeof headline>[0]
const locked = log('Escrow', 'EscrowLocked', { key: onChainKey(gigId), poster, payee: worker, amount: '40000000' })
const paid = log('USDC', 'Transfer', { from: poster, to: worker, value: '40000000' })

describe('a transaction in words', () => {
  it('has a saying for every event of every contract, and for no others', () => {
    const declared = new Set<string>()
    for (const contract of contractNames)
      contractInterface(contract).forEachEvent(({ name, inputs }) => {
        declared.add(`${contract}.${name}`)
        declared.add(name)
        const args = Object.fromEntries(
          inputs.map(({ name, type }) => [name, type === 'bool' ? true : type.startsWith('uint') ? '7' : `0x${'1'.repeat(40)}`]),
        )
        const saying = sentence(log(contract, name, args))
        assert.ok(`${contract}.${name}` in deeds || `${contract}.${name}` in details || name in common, `${contract}.${name} has no saying`)
        assert.doesNotMatch(saying, /undefined|\[object/, saying)
      })
    for (const name of [deeds, details, common].flatMap(Object.keys)) assert.ok(declared.has(name), name)
  })

  it('is headed by what the platform did, before the transfer that followed from it', () => {
    assert.equal(headline(transaction([paid, locked])), '0xaaaa…aaaa locked 40.00 USDC in escrow for 0xbbbb…bbbb')
    assert.equal(headline(transaction([paid])), '0xaaaa…aaaa paid 40.00 USDC to 0xbbbb…bbbb')
  })

  it('is headed by what says most of several', () => {
    const key = log('IdentityRegistry', 'AgentKeyRegistered', { agentKey: '0x00', agentId: '7', owner: poster })
    const registered = log('IdentityRegistry', 'Registered', { agentId: '7', agentURI: '', owner: poster })
    assert.match(headline(transaction([key, registered])), /^Agent 7 was entered/)

    const completed = log('Commerce', 'JobCompleted', { jobId: '7', evaluator: poster, reason: '0x00' })
    const settled = log('Commerce', 'JobSettled', { jobId: `0x${'7'.padStart(64, '0')}`, payee: worker, amount: '38800000' })
    assert.equal(headline(transaction([paid, completed, settled])), 'A job was settled: 38.80 USDC went to 0xbbbb…bbbb')
  })

  it('names those whose name is known', () => {
    const called = (address: unknown) => (address === poster ? 'poster-one' : 'worker-one')
    assert.equal(headline(transaction([locked]), called), 'poster-one locked 40.00 USDC in escrow for worker-one')
  })

  it('is counted where no event of several has a saying, and called by its event where there is one', () => {
    const config = log('Escrow', 'NeverHeardOf', {})
    assert.equal(headline(transaction([config, config])), 'This transaction recorded 2 events')
    assert.equal(headline(transaction([config])), 'Escrow: never heard of')
    assert.equal(headline(transaction([], false)), 'This transaction was reverted')
  })

  it('belongs to the gigs and jobs whose keys are in its logs', () => {
    assert.deepEqual(gigsOf([paid, locked]), [gigId])
    assert.deepEqual(gigsOf([log('Bond', 'BondLocked', { agent: worker, gigId: onChainKey(gigId), amount: '1' })]), [gigId])
    assert.deepEqual(gigsOf([paid, log('Escrow', 'EscrowDisputed', { key: '0x00' })]), [])
    const forms = ['7', `0x${'7'.padStart(64, '0')}`].map(jobId => log('Commerce', 'JobFunded', { jobId }))
    assert.deepEqual(jobsOf(forms), [{ jobId: '7', contract: forms[0]!.address }])
  })

  it('reads a few records of a batch, however many it names', () => {
    const keys = Array.from({ length: 300 }, (_, n) => onChainKey(gigId.slice(0, -3) + String(n).padStart(3, '0')))
    assert.equal(gigsOf(keys.map(key => log('Escrow', 'EscrowReleased', { key }))).length, 5)
  })
})
