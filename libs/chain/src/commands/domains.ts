import { z } from 'zod'
import { fundingSource } from '../authorization.ts'
import { callAt, command } from '../command.ts'
import { address, positive, recordId } from '../fields.ts'
import { domainOperationId, domainTokenId } from '../keys.ts'
import { spokenTextGas, storedTextGas } from '../text-gas.ts'
import { authorizationTuple, fundingReverts, permitOf, signedBy } from './funding.ts'

const fullDomain = z.string().regex(/^[a-z0-9-]{3,32}\.(molt|claw|shell|pinch|agent)$/, 'must be <name>.<extension>')
/** Counts the operations on one domain, so that each has its own key. */
const n = z.int().min(1)
const aggregate = ({ domainId }: { domainId: string }) => `domain:${domainId}`
/** `contract`: the registry that has the name; names from before it was stored are in the first. */
const registry = { contract: address.optional() }
const on = ({ contract }: { contract?: string | undefined }, fn: string, args: readonly unknown[]) => callAt('DomainRegistry', contract, fn, args)
const once = (a: { domainId: string; n: number; contract?: string | undefined }) => ({
  ...on(a, 'isDone', [operationId(a)]),
  isOurs: ([done]: readonly unknown[]) => done === true,
})
const operationId = (a: { domainId: string; n: number }) => domainOperationId(a.domainId, a.n)
const textRecord = z.object({ key: z.string().max(64), value: z.string().max(500) })

const saleGas = 130_000n

/** Mints a name; with a `sale` the same transaction moves its price from the owner, or from its custodial wallet, to the registry. */
export const domainMint = command({
  kind: 'domain.mint',
  args: {
    ...registry,
    domainId: recordId,
    n,
    fullDomain,
    owner: address,
    texts: z.array(textRecord).max(8).default([]),
    sale: z.object({ price: positive, source: fundingSource }).nullable().default(null),
  },
  key: ['domainId', 'n'],
  aggregate,
  gas: a => a.texts.reduce((sum, { key, value }) => sum + 30_000n + spokenTextGas(key) + storedTextGas(value), 460_000n) + (a.sale ? saleGas : 0n),
  batchable: true,
  prelude: a => (a.sale ? permitOf(a.sale.source, a.owner, 'DomainRegistry', a.contract) : []),
  authorization: a =>
    a.sale?.source.kind === 'custodial'
      ? { type: 'ReceiveWithAuthorization', from: a.sale.source.from, to: a.contract ?? 'DomainRegistry', value: a.sale.price, nonce: operationId(a) }
      : undefined,
  finalReverts: ['Domain_InvalidLabel', 'Domain_UnknownTld', 'ERC721InvalidReceiver', 'Funds_ShortTransfer', ...fundingReverts],
  // a deleted name that is registered again
  needs: () => [{ kind: 'domain.burn' }],
  isEntry: true,
  call: (a, custodial) => {
    const [label, tld] = a.fullDomain.split('.')
    const minted = [a.owner, label, tld, a.texts, operationId(a)]
    if (!a.sale) return on(a, 'mintFor', minted)
    const signed = signedBy(a.sale.source, custodial)
    return signed
      ? on(a, 'sellWithAuthorization', [...minted, a.sale.price, authorizationTuple(signed)])
      : on(a, 'sellFor', [...minted, a.sale.price])
  },
  effect: once,
})

export const domainTransfer = command({
  kind: 'domain.transfer',
  args: { ...registry, domainId: recordId, n, fullDomain, from: address, to: address },
  key: ['domainId', 'n'],
  aggregate,
  // the receiver's first name becomes its primary one, and the sender's may be cleared
  gas: 430_000n,
  batchable: true,
  finalReverts: ['Domain_LockedByOwner', 'ERC721InvalidReceiver'],
  needs: () => [{ kind: 'domain.mint' }, { kind: 'domain.transfer' }],
  call: a => on(a, 'transferFor', [a.from, a.to, domainTokenId(a.fullDomain), operationId(a)]),
  effect: once,
})

export const domainBurn = command({
  kind: 'domain.burn',
  args: { ...registry, domainId: recordId, n, fullDomain },
  key: ['domainId', 'n'],
  aggregate,
  // clears the primary name, which may fill two slots
  gas: 160_000n,
  batchable: true,
  finalReverts: ['Domain_LockedByOwner'],
  needs: () => [{ kind: 'domain.mint' }, { kind: 'domain.transfer' }],
  call: a => on(a, 'burnFor', [domainTokenId(a.fullDomain), operationId(a)]),
  effect: once,
})
