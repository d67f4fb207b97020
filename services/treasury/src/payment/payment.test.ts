import assert from 'node:assert/strict'
import { paymentStatuses, Refusal } from '@carapace/api'
import { sentOnChain } from '@carapace/chain'
import fc from 'fast-check'
import { accept, cancel, confirm, execute, fail, noteSubmission, type Payment, type PaymentStatus, paymentStates, upgradePayment } from './payment.ts'

const noon = new Date('2026-03-04T12:00:00.000Z')
const due = new Date('2026-03-04T12:10:00.000Z')
const address = (digit: string) => `0x${digit.repeat(40)}`
const draft = {
  id: '0192f0c0-0000-7000-8000-000000000001',
  kind: 'payment' as const,
  fromAgentId: 'sender',
  fromAddress: address('1'),
  toAgentId: 'recipient',
  toAddress: address('2'),
  chain: 'BASE_SEPOLIA' as const,
  gigId: null,
  note: null,
  acceptedAt: noon,
}
const payment = (status: PaymentStatus): Payment => ({
  ...draft,
  amount: 30_000_000n,
  status,
  executeAfter: due,
  onChain: null,
  executedAt: null,
  failure: null,
})
const confirmed = (txHash: string) => ({ ...sentOnChain, status: 'confirmed' as const, txHash, blockNumber: 9, seq: 2 })
const submitted = { ...sentOnChain, txHash: '0x2', seq: 1 }
type Trigger = 'cancel' | 'execute' | 'confirm' | 'confirmLate' | 'fail'
const canDo = ({ status }: Payment, trigger: Trigger) => paymentStates.next(status, trigger) !== undefined
const run: Record<Trigger, (of: Payment) => { state: Payment; events: { type: string }[] } | undefined> = {
  cancel: of => cancel(of, 'sender'),
  execute: of => execute(of, due, due, null),
  confirm: of => confirm(of, confirmed('0x1'), due),
  confirmLate: of => confirm(of, confirmed('0x1'), due),
  fail: of => fail(of, 'REVERTED', { ...sentOnChain, status: 'failed', error: 'REVERTED', seq: 2 }),
}

describe('payment', () => {
  for (const status of paymentStatuses) {
    for (const command of ['cancel', 'execute', 'confirm', 'fail'] as const) {
      const to = paymentStates.next(status, command)
      if (to !== undefined) it(`${command} changes a ${status} one to ${to}`, () => assert.equal(run[command](payment(status))?.state.status, to))
      else if (!(command === 'confirm' && status === 'failed'))
        it(`${command} does nothing to a ${status} one`, () => {
          const before = payment(status)
          if (command === 'execute') assert.equal(execute(before, due, due, null), undefined)
          else
            assert.throws(
              () => run[command](before),
              (error: unknown) => error instanceof Refusal && error.code === 'INVALID_STATE',
            )
        })
    }
  }

  it('is sent immediately below 25 USDC and waits from 25 on', () => {
    const small = accept({ ...draft, amount: 24_999_999n, executeAfter: noon }, due)
    const large = accept({ ...draft, amount: 25_000_000n, executeAfter: due }, due)

    assert.deepEqual([small.state.status, small.events.map(({ type }) => type)], ['submitted', ['chain.command.v1']])
    assert.deepEqual([large.state.status, large.events.map(({ type }) => type)], ['pending', ['treasury.payment.queued.v1']])
  })

  for (const [title, block] of [
    ['its account is in debt', 'INSUFFICIENT_BALANCE'],
    ['its sender is suspended', 'ACCOUNT_SUSPENDED'],
  ] as const)
    it(`waits while ${title}, and fails in the end`, () => {
      const later = (ms: number) => new Date(due.getTime() + ms)
      assert.equal(execute(payment('pending'), later(599_999), due, block), undefined)
      const { status, failure } = execute(payment('pending'), later(600_000), due, block)!.state
      assert.deepEqual([status, failure], ['failed', block])
    })

  it('is not executed before its time', () => assert.equal(execute(payment('pending'), new Date(due.getTime() - 1), due, null), undefined))

  it('can be cancelled by its sender only', () => {
    assert.throws(
      () => cancel(payment('pending'), 'recipient'),
      (error: unknown) => error instanceof Refusal && error.code === 'FORBIDDEN',
    )
  })

  it('stores its transaction only while its outcome is open', () => {
    assert.equal(noteSubmission(payment('processing'), submitted)?.state.onChain?.txHash, '0x2')
    for (const status of ['pending', 'executed', 'failed', 'cancelled'] as const) assert.equal(noteSubmission(payment(status), submitted), undefined)
  })

  it('is announced once when it is confirmed again in another block', () => {
    const { state, events } = confirm(payment('processing'), confirmed('0x1'), due)
    const again = confirm(state, confirmed('0x2'), new Date(due.getTime() + 1))

    assert.equal(events.length, 1)
    assert.deepEqual([again.events.length, again.state.onChain?.txHash, again.state.executedAt], [0, '0x2', due])
  })

  it('shows the transaction that failed, also where its failure names none', () => {
    const sent = noteSubmission(payment('processing'), submitted)!.state

    assert.deepEqual(run.fail(sent)!.state.onChain, { ...submitted, status: 'failed', error: 'REVERTED', seq: 2 })
  })

  it('that was stored before `onChain` was one field is the same in the present form', () => {
    const old = (status: PaymentStatus, txHash: string | null, failure: string | null = null): Payment => {
      const { onChain: _, ...rest } = payment(status)
      return upgradePayment({ ...rest, txHash, failure } as unknown as Payment)
    }

    assert.deepEqual(old('executed', '0x1').onChain, { ...sentOnChain, status: 'confirmed', txHash: '0x1' })
    assert.deepEqual(old('processing', null).onChain, sentOnChain)
    assert.deepEqual(old('failed', '0x1', 'REVERTED').onChain, { ...sentOnChain, status: 'failed', txHash: '0x1', error: 'REVERTED' })
    for (const unsent of [old('pending', null), old('cancelled', null), old('failed', null, 'INSUFFICIENT_BALANCE')])
      assert.equal(unsent.onChain, null)
    const present = payment('pending')
    assert.equal(upgradePayment(present), present)
  })

  it('leaves every state that holds money by time and the outcome of its command alone', () => {
    for (const status of ['pending', 'submitted', 'processing'] as const) {
      const sent = execute(payment(status), due, due, null)?.state ?? payment(status)
      assert.ok(canDo(sent, 'confirm') && canDo(sent, 'fail'), `${sent.status} has no end`)
    }
  })

  it('sends at most one command and ends in one state, in any order of attempts', () => {
    const command = fc.constantFrom<Trigger>('cancel', 'execute', 'confirm', 'fail')
    fc.assert(
      fc.property(fc.array(command, { maxLength: 12 }), fc.boolean(), (tries, isLarge) => {
        const first = accept({ ...draft, amount: isLarge ? 30_000_000n : 3n, executeAfter: isLarge ? due : noon }, due)
        let state = first.state
        const events = [...first.events.map(({ type }) => type)]
        for (const next of tries) {
          if (!canDo(state, next)) continue
          const decision = run[next](state)!
          state = decision.state
          events.push(...decision.events.map(({ type }) => type))
        }
        const count = (type: string) => events.filter(found => found === type).length
        assert.ok(count('chain.command.v1') <= 1)
        assert.ok(count('treasury.payment.cancelled.v1') === 0 || count('chain.command.v1') === 0)
        assert.ok(count('treasury.payment.executed.v1') <= 1)
      }),
    )
  })
})
