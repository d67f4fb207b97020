import { id } from 'ethers'
import { z } from 'zod'
import { command, nothing } from '../command.ts'
import { address, recordId } from '../fields.ts'
import { domainTokenId } from '../keys.ts'
import { spokenTextGas, storedTextGas } from '../text-gas.ts'

const fullDomain = z.string().regex(/^[a-z0-9-]{3,32}\.(molt|claw|shell|pinch|agent)$/, 'must be <name>.<extension>')
/** Counts the operations on one domain, so that each has its own key. */
const n = z.int().min(1)
const aggregate = ({ domainId }: { domainId: string }) => `domain:${domainId}`
const once = (a: { domainId: string; n: number }) => ({
  contract: 'DomainRegistry' as const,
  fn: 'isDone',
  args: [operationId(a)],
  isOurs: ([done]: readonly unknown[]) => done === true,
})
/** The contract takes each operation id once. */
const operationId = (a: { domainId: string; n: number }) => id(`${a.domainId}:${a.n}`)
const textRecord = z.object({ key: z.string().max(64), value: z.string().max(500) })

export const domainMint = command({
  kind: 'domain.mint',
  args: { domainId: recordId, n, fullDomain, owner: address, texts: z.array(textRecord).max(8).default([]) },
  key: ['domainId', 'n'],
  aggregate,
  gas: a => a.texts.reduce((sum, { key, value }) => sum + 30_000n + spokenTextGas(key) + storedTextGas(value), 460_000n),
  batchable: true,
  finalReverts: ['Domain_InvalidLabel', 'Domain_UnknownTld', 'ERC721InvalidReceiver'],
  needs: nothing,
  call: a => {
    const [label, tld] = a.fullDomain.split('.')
    return { contract: 'DomainRegistry', fn: 'mintFor', args: [a.owner, label, tld, a.texts, operationId(a)] }
  },
  effect: once,
})

export const domainTransfer = command({
  kind: 'domain.transfer',
  args: { domainId: recordId, n, fullDomain, from: address, to: address },
  key: ['domainId', 'n'],
  aggregate,
  gas: 190_000n,
  batchable: true,
  finalReverts: ['Domain_LockedByOwner', 'ERC721InvalidReceiver'],
  needs: () => [{ kind: 'domain.mint' }, { kind: 'domain.transfer' }],
  call: a => ({ contract: 'DomainRegistry', fn: 'transferFor', args: [a.from, a.to, domainTokenId(a.fullDomain), operationId(a)] }),
  effect: once,
})

export const domainBurn = command({
  kind: 'domain.burn',
  args: { domainId: recordId, n, fullDomain },
  key: ['domainId', 'n'],
  aggregate,
  gas: 110_000n,
  batchable: true,
  finalReverts: ['Domain_LockedByOwner'],
  needs: () => [{ kind: 'domain.mint' }],
  call: a => ({ contract: 'DomainRegistry', fn: 'burnFor', args: [domainTokenId(a.fullDomain), operationId(a)] }),
  effect: once,
})
