import { z } from 'zod'
import { command } from '../command.ts'
import { address, recordId } from '../fields.ts'
import { domainTokenId, toChecksum } from '../keys.ts'

const fullDomain = z.string().regex(/^[a-z0-9-]{3,32}\.(molt|claw|shell|pinch|agent)$/, 'must be <name>.<extension>')
/** Counts the operations on one domain, so that each has its own key. */
const n = z.int().min(1)
const aggregate = ({ domainId }: { domainId: string }) => `domain:${domainId}`
const owns = (name: string, owner: string) => ({
  contract: 'DomainRegistry' as const,
  fn: 'ownerOf',
  args: [domainTokenId(name)],
  isOurs: ([found]: readonly unknown[]) => toChecksum(String(found)) === owner,
})
const split = (name: string) => name.split('.') as [string, string]

export const domainMint = command({
  kind: 'domain.mint',
  args: { domainId: recordId, n, fullDomain, owner: address },
  key: ['domainId', 'n'],
  aggregate,
  gas: 260_000n,
  batchable: true,
  call: a => ({ contract: 'DomainRegistry', fn: 'mintFor', args: [a.owner, ...split(a.fullDomain)] }),
  effect: a => owns(a.fullDomain, a.owner),
})

export const domainTransfer = command({
  kind: 'domain.transfer',
  args: { domainId: recordId, n, fullDomain, to: address },
  key: ['domainId', 'n'],
  aggregate,
  gas: 130_000n,
  batchable: true,
  call: a => ({ contract: 'DomainRegistry', fn: 'transferFor', args: [domainTokenId(a.fullDomain), a.to] }),
  effect: a => owns(a.fullDomain, a.to),
})

export const domainBurn = command({
  kind: 'domain.burn',
  args: { domainId: recordId, n, fullDomain },
  key: ['domainId', 'n'],
  aggregate,
  gas: 110_000n,
  batchable: true,
  call: a => ({ contract: 'DomainRegistry', fn: 'burnFor', args: [domainTokenId(a.fullDomain)] }),
})
