import { fundingSource } from '../authorization.ts'
import { type ContractCall, callAt, command, type EffectCheck, type Need, nothing } from '../command.ts'
import { address, bytes32, positive, recordId } from '../fields.ts'
import { onChainKey } from '../keys.ts'
import { authorizationTuple, fundingReverts, permitOf, signedBy } from './funding.ts'

/** Each bond event has its own id, which is the key of its command and, on chain, counts once. `contract`: the one that has the agent's stake, where that is not the first. */
const bondEvent = { bondEventId: recordId, agent: address, contract: address.optional() }
const key = ['bondEventId'] as const
const aggregate = ({ agent }: { agent: string }) => `bond:${agent}`
const idOf = (a: { bondEventId: string }) => onChainKey(a.bondEventId)
interface Target {
  bondEventId: string
  contract?: string | undefined
}
/** A call of the contract that has the stake. */
const on = ({ contract }: Target, fn: string, args: readonly unknown[]): ContractCall => callAt('Bond', contract, fn, args)
const once = (a: Target): EffectCheck => ({ ...on(a, 'isDone', [idOf(a)]), isOurs: ([done]) => done === true })
const zeroKey = `0x${'0'.repeat(64)}`

/** What puts money into the free part of a bond. */
const stakes: readonly Need[] = [{ kind: 'bond.deposit' }, { kind: 'bond.unlock' }, { kind: 'bond.unslash' }]

export const bondDeposit = command({
  kind: 'bond.deposit',
  args: { ...bondEvent, amount: positive, source: fundingSource },
  key,
  aggregate,
  gas: 220_000n,
  batchable: true,
  prelude: a => permitOf(a.source, a.agent, 'Bond', a.contract),
  authorization: a =>
    a.source.kind === 'custodial'
      ? { type: 'ReceiveWithAuthorization', from: a.source.from, to: a.contract ?? 'Bond', value: a.amount, nonce: idOf(a) }
      : undefined,
  finalReverts: ['Bond_ZeroAddress', 'Bond_BelowMinimum', 'Funds_ShortTransfer', ...fundingReverts],
  needs: nothing,
  isEntry: true,
  call: (a, custodial) => {
    const signed = signedBy(a.source, custodial)
    return signed
      ? on(a, 'depositWithAuthorization', [a.agent, a.amount, idOf(a), authorizationTuple(signed)])
      : on(a, 'depositFor', [a.agent, a.amount, idOf(a)])
  },
  effect: once,
})

export const bondWithdraw = command({
  kind: 'bond.withdraw',
  args: { ...bondEvent, to: address, amount: positive },
  key,
  aggregate,
  gas: 120_000n,
  batchable: true,
  finalReverts: ['Bond_ZeroAddress', 'Bond_ZeroAmount'],
  needs: () => stakes,
  isEntry: true,
  call: a => on(a, 'withdrawFor', [a.agent, a.to, a.amount, idOf(a)]),
  effect: once,
})

export const bondLock = command({
  kind: 'bond.lock',
  args: { ...bondEvent, gigId: recordId, amount: positive },
  key,
  aggregate,
  gas: 190_000n,
  batchable: true,
  finalReverts: ['Bond_ZeroAmount'],
  needs: () => stakes,
  isEntry: true,
  call: a => on(a, 'lock', [a.agent, onChainKey(a.gigId), a.amount, idOf(a)]),
  effect: once,
})

export const bondUnlock = command({
  kind: 'bond.unlock',
  args: { ...bondEvent, gigId: recordId },
  key,
  aggregate,
  gas: 120_000n,
  batchable: true,
  finalReverts: [],
  needs: a => [{ kind: 'bond.lock', where: { gigId: a.gigId } }],
  call: a => on(a, 'unlock', [a.agent, onChainKey(a.gigId), idOf(a)]),
  effect: once,
})

/** `gigId` null: no lock of a gig is slashed first. */
export const bondSlash = command({
  kind: 'bond.slash',
  args: { ...bondEvent, gigId: recordId.nullable(), amount: positive, reasonHash: bytes32 },
  key,
  aggregate,
  gas: 260_000n,
  batchable: true,
  finalReverts: ['Bond_ZeroAmount'],
  needs: () => [...stakes, { kind: 'bond.lock' }],
  call: a => on(a, 'slash', [a.agent, a.gigId ? onChainKey(a.gigId) : zeroKey, a.amount, idOf(a), a.reasonHash]),
  effect: once,
})

/** Reverses the slash whose bond event id is `slashId`. */
export const bondUnslash = command({
  kind: 'bond.unslash',
  args: { ...bondEvent, slashId: recordId, amount: positive },
  key,
  aggregate,
  gas: 140_000n,
  batchable: true,
  finalReverts: ['Bond_ZeroAmount', 'Bond_AboveSlash'],
  needs: a => [{ kind: 'bond.slash', where: { bondEventId: a.slashId } }],
  call: a => on(a, 'unslash', [onChainKey(a.slashId), a.amount]),
  effect: a => ({
    ...on(a, 'getSlash', [onChainKey(a.slashId)]),
    isOurs: ([slash]) => /^0x0{40}$/.test((slash as { agent: string }).agent),
  }),
})
