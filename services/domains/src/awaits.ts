import { operationKey } from '@carapace/chain'
import type { Awaiting } from '@carapace/service'
import { lastOperation } from './domain/domain.ts'
import type { Parts } from './parts.ts'

const kinds = { register: 'domain.mint', transfer: 'domain.transfer', delete: 'domain.burn' } as const

/** Names whose state ends with the outcome of a command. */
export async function awaits({ domains }: Parts): Promise<Awaiting[]> {
  const waiting = await domains.find({ status: { $in: ['minting', 'transferring', 'burning'] } })
  return waiting.map(domain => {
    const { kind, n, onChain, at } = lastOperation(domain)!
    return {
      record: `domain ${domain.fullDomain} in ${domain.status}`,
      opKey: operationKey(kinds[kind], domain.id, n),
      round: onChain!.round,
      since: at,
    }
  })
}
