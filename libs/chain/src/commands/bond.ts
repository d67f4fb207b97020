import { fundingSource } from '../authorization.ts'
import { command, type EffectCheck, type Need, nothing } from '../command.ts'
import { address, bytes32, positive, recordId } from '../fields.ts'
import { onChainKey } from '../keys.ts'
import { authorizationTuple, fundingReverts, permitOf, signedBy } from './funding.ts'

/** Each bond event has its own id, which is the key of its command and, on chain, counts once. */
const bondEvent = { bondEventId: recordId, agent: address }
const key = ['bondEventId'] as const
const aggregate = ({ agent }: { agent: string }) => `bond:${agent}`
const idOf = (a: { bondEventId: string }) => onChainKey(a.bondEventId)
const once = (a: { bondEventId: string }): EffectCheck => ({ contract: 'Bond', fn: 'isDone', args: [idOf(a)], isOurs: ([done]) => done === true })
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
  prelude: a => permitOf(a.source, a.agent, 'Bond'),
  authorization: a =>
    a.source.kind === 'custodial'
      ? { type: 'ReceiveWithAuthorization', from: a.source.from, to: 'Bond', value: a.amount, nonce: idOf(a) }
      : undefined,
  finalReverts: ['Bond_ZeroAddress', 'Bond_BelowMinimum', 'Funds_ShortTransfer', ...fundingReverts],
  needs: nothing,
  isEntry: true,
  call: (a, custodial) => {
    const signed = signedBy(a.source, custodial)
    return signed
      ? { contract: 'Bond', fn: 'depositWithAuthorization', args: [a.agent, a.amount, idOf(a), authorizationTuple(signed)] }
      : { contract: 'Bond', fn: 'depositFor', args: [a.agent, a.amount, idOf(a)] }
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
  call: a => ({ contract: 'Bond', fn: 'withdrawFor', args: [a.agent, a.to, a.amount, idOf(a)] }),
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
  call: a => ({ contract: 'Bond', fn: 'lock', args: [a.agent, onChainKey(a.gigId), a.amount, idOf(a)] }),
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
  call: a => ({ contract: 'Bond', fn: 'unlock', args: [a.agent, onChainKey(a.gigId), idOf(a)] }),
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
  call: a => ({ contract: 'Bond', fn: 'slash', args: [a.agent, a.gigId ? onChainKey(a.gigId) : zeroKey, a.amount, idOf(a), a.reasonHash] }),
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
  call: a => ({ contract: 'Bond', fn: 'unslash', args: [onChainKey(a.slashId), a.amount] }),
  effect: a => ({
    contract: 'Bond',
    fn: 'getSlash',
    args: [onChainKey(a.slashId)],
    isOurs: ([slash]) => /^0x0{40}$/.test((slash as { agent: string }).agent),
  }),
})
