import assert from 'node:assert/strict'
import { commands } from '@carapace/chain'
import { stalledStates } from '@carapace/store'
import { newOp } from '../outbound/accept.ts'
import { type CommandTrigger, commandStates } from './command-states.ts'
import { confirm, fail, finish, type OpStep, requeue, retry, reverse } from './outcome-writes.ts'
import type { OpRecord, OpState } from './records.ts'
import { type TransactionTrigger, transactionStates } from './transaction-states.ts'

const result = { txHash: `0x${'1'.repeat(64)}`, blockNumber: 1, blockHash: `0x${'2'.repeat(64)}`, blockTime: 1, logs: [] }
const error = (code: string) => ({ code, message: 'a test' })
const now = 1_000

/** The transitions of an operation, by their trigger. A further round is a new record: see the intake. */
const transitions: Readonly<Record<Exclude<CommandTrigger, 'nextRound'>, (op: OpRecord) => OpStep>> = {
  confirm: op => confirm(op, result, now),
  finalize: op => finish(op, now),
  retry: op => retry(op, { delayMs: 1, gasFactor: 1 }, 'a test', now),
  requeue: op => requeue(op, 'a test', now),
  reverse: op => reverse(op, now),
  fail: op => fail(op, error('REVERTED'), now),
  expire: op => fail(op, error('EXPIRED'), now),
  cancel: op => fail(op, error('CANCELLED'), now),
}

function opIn(state: OpState): OpRecord {
  const { data } = commands.faucetMint({ chain: 'BASE_SEPOLIA', requestId: 'request', to: `0x${'3'.repeat(40)}`, amount: 1n })
  const failed = commandStates.allowedIn('nextRound').includes(state)
  return { ...newOp(data as Parameters<typeof newOp>[0], 'lane', 1, now, null), state, result, error: failed ? error('REVERTED') : null }
}

describe('the states of a command', () => {
  it('all reach an end by time alone', () => assert.deepEqual(stalledStates(commandStates), []))

  for (const state of Object.keys(commandStates.transitions) as OpState[]) {
    for (const [trigger, change] of Object.entries(transitions) as [keyof typeof transitions, (op: OpRecord) => OpStep][]) {
      const next = commandStates.next(state, trigger)
      const isEnd = ['fail', 'expire', 'cancel'].includes(trigger)
      if (next !== undefined)
        it(`lead from ${state} by ${trigger} to ${next}`, () => {
          const op = opIn(state)
          assert.equal(change(op).fields.state, next)
          assert.equal(op.state, next)
        })
      else if (isEnd)
        it(`leave ${state} as it is on ${trigger}, and repeat its event`, () => {
          const op = opIn(state)
          const step = change(op)
          assert.deepEqual(op, opIn(state))
          assert.deepEqual([step.fields, step.event?.version], [{ state, error: op.error }, op.seq])
        })
      else
        it(`refuse ${trigger} in ${state}`, () => {
          const op = opIn(state)
          assert.throws(() => change(op), { code: 'INVALID_STATE' })
          assert.deepEqual(op, opIn(state))
        })
    }
  }
})

describe('the states of a transaction', () => {
  it('all reach an end by time alone', () => assert.deepEqual(stalledStates(transactionStates), []))

  it('allow no move out of a final slot but its restoring, and out of a displaced one but its reopening', () => {
    const triggers = [...new Set(transactionStates.edges().map(({ trigger }) => trigger))]
    const out = (state: 'FINAL' | 'REPLACED'): TransactionTrigger[] =>
      triggers.filter(trigger => transactionStates.next(state, trigger) !== undefined)
    assert.deepEqual([out('FINAL'), out('REPLACED')], [['restore'], ['reopen']])
    assert.throws(() => transactionStates.move('REPLACED', 'finalize'), { code: 'INVALID_STATE' })
  })
})
