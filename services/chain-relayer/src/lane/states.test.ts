import assert from 'node:assert/strict'
import { commands } from '@carapace/chain'
import type { Receipt } from '../chain/reader.ts'
import { newOp } from '../outbound/intake.ts'
import { type CommandTrigger, commandStates } from './command-states.ts'
import { confirm, fail, finish, type OpStep, requeue, retry, reverse } from './outcome.ts'
import { opQueue } from './queue.ts'
import { type Op, type OpState, type QueuedOp, signedTx, terminalFailures } from './records.ts'
import { type TransactionTrigger, transactionStates } from './transaction-states.ts'
import { accept, finalizeTx, mine, reopen } from './tx-writes.ts'

const result = { txHash: `0x${'1'.repeat(64)}`, blockNumber: 1, blockHash: `0x${'2'.repeat(64)}`, blockTime: 1, logs: [] }
const error = (code: string) => ({ code, message: 'a test' })
const now = 1_000

/** The transitions of an operation, by their trigger. A further round is a new record: see the intake. */
const transitions: Readonly<Record<Exclude<CommandTrigger, 'nextRound'>, (op: Op) => OpStep>> = {
  confirm: op => confirm(op, result, now),
  finalize: op => finish(op, result, now),
  retry: op => retry(op, { delayMs: 1, gasFactor: 1 }, 'a test', now),
  requeue: op => requeue(op, 'a test', now),
  reverse: op => reverse(op, now),
  fail: op => fail(op, error('REVERTED'), now),
  expire: op => fail(op, error('EXPIRED'), now),
  cancel: op => fail(op, error('CANCELLED'), now),
}

function opIn(state: OpState): Op {
  const { data } = commands.faucetMint({ chain: 'BASE_SEPOLIA', requestId: 'request', to: `0x${'3'.repeat(40)}`, amount: 1n })
  const failed = terminalFailures.includes(state)
  const hasResult = state === 'CONFIRMED' || state === 'FINAL'
  const fresh = newOp(data as Parameters<typeof newOp>[0], 'lane', 1, now, null)
  return { ...fresh, state, result: hasResult ? result : null, error: failed ? error('REVERTED') : null } as Op
}

/** A change of the record itself throws. */
const frozen = (op: Op): Op => Object.freeze(op)

describe('the states of a command', () => {
  for (const state of Object.keys(commandStates.transitions) as OpState[]) {
    for (const [trigger, change] of Object.entries(transitions) as [keyof typeof transitions, (op: Op) => OpStep][]) {
      const next = commandStates.next(state, trigger)
      const isEnd = ['fail', 'expire', 'cancel'].includes(trigger)
      if (next !== undefined)
        it(`lead from ${state} by ${trigger} to ${next}, in a new record`, () => {
          const op = frozen(opIn(state))
          const step = change(op)
          assert.deepEqual([step.op.state, step.fields.state], [next, next])
          assert.deepEqual(op, opIn(state))
        })
      else if (isEnd)
        it(`leave ${state} as it is on ${trigger}, and repeat its event`, () => {
          const op = frozen(opIn(state))
          const step = change(op)
          assert.deepEqual(op, opIn(state))
          assert.deepEqual([step.fields, step.event?.version], [{ state, error: op.error }, op.seq])
        })
      else
        it(`refuse ${trigger} in ${state}`, () => {
          const op = frozen(opIn(state))
          assert.throws(() => change(op), { code: 'INVALID_STATE' })
          assert.deepEqual(op, opIn(state))
        })
    }
  }
})

describe('the states of a transaction', () => {
  it('allow no move out of a final slot but its restoring, and out of a displaced one but its reopening', () => {
    const triggers = [...new Set(transactionStates.edges().map(({ trigger }) => trigger))]
    const out = (state: 'FINAL' | 'REPLACED'): TransactionTrigger[] =>
      triggers.filter(trigger => transactionStates.next(state, trigger) !== undefined)
    assert.deepEqual([out('FINAL'), out('REPLACED')], [['restore'], ['reopen']])
    assert.throws(() => transactionStates.move('REPLACED', 'finalize'), { code: 'INVALID_STATE' })
  })

  it('lead to new records: accepted, mined, final and back', () => {
    const attempt = { hash: '0x01', raw: '0x', fee: { gasPrice: '0' }, signedAt: now }
    const slot = { lane: 'lane', nonce: 3, epoch: 1, liveOps: ['a', 'b'], ops: [], to: '0x', value: '0', gasLimit: 1 }
    const signed = Object.freeze(signedTx(slot, attempt))
    const block = { number: 7, hash: '0x07', time: 1 }
    const receipt = { transactionHash: '0x01', blockNumber: '0x7', blockHash: '0x07', status: '0x1', gasUsed: '0x5', logs: [] } as unknown as Receipt

    const accepted = Object.freeze(accept(signed))
    const mined = Object.freeze(mine(accepted, receipt, block, ['b']).tx)
    const [final, reopened] = [finalizeTx(mined).tx, reopen(mined).tx]

    assert.deepEqual(
      [signed, accepted, mined, final, reopened].map(tx => [tx.state, tx.block?.number, tx.liveOps]),
      [
        ['SIGNED', undefined, ['a', 'b']],
        ['ACCEPTED', undefined, ['a', 'b']],
        ['MINED_OK', 7, ['b']],
        ['FINAL', 7, ['b']],
        ['ACCEPTED', undefined, ['b']],
      ],
    )
    assert.deepEqual(Object.keys(mine(accepted, receipt, block, []).tx).includes('liveOps'), false)
  })
})

describe('the queue', () => {
  const queued = (opKey: string, order: number, changes: Partial<QueuedOp> = {}) =>
    Object.freeze({ ...(opIn('QUEUED') as QueuedOp), _id: opKey, order, aggregateKey: opKey, ...changes })

  it('has the next record of an operation in the same place, and of one that left it none', () => {
    const queue = opQueue()
    for (const [opKey, order] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ] as const)
      queue.add(queued(opKey, order))
    queue.remove('c')

    for (const [opKey, order] of [
      ['a', 1],
      ['c', 3],
    ] as const)
      queue.replace(queued(opKey, order, { attempts: 1 }))

    assert.deepEqual(
      queue.ready(now, 10).map(({ _id, attempts }) => [_id, attempts]),
      [
        ['a', 1],
        ['b', 0],
      ],
    )
  })

  it('checks what waits for an effect in the next pass, and moves retry times with the clock, in new records', () => {
    const queue = opQueue()
    queue.add(queued('waits', 1, { nextAt: now + 500, waiting: { fromBlock: 1, tries: 1, error: error('REVERTED') } }))
    queue.add(queued('later', 2, { nextAt: now + 500 }))

    queue.hasten('waits')
    queue.hasten('later')
    queue.shift(100)

    assert.deepEqual([queue.get('waits')?.nextAt, queue.get('later')?.nextAt], [0, now + 600])
  })
})
