import { explorerOf } from '@carapace/chain'
import { type Domain, type Operation, registrationOf } from '../domain/domain.ts'
import type { NamePage } from '../domain/views.ts'
import type { Parts } from '../parts.ts'

/** The registries as far as they are known already: a list does not wait for the relayer. */
export const namePage = ({ networks, config, baseUrl }: Pick<Parts, 'networks' | 'config' | 'baseUrl'>): NamePage => {
  const explorer = explorerOf(networks, config, baseUrl)
  return domain => {
    const { chain, tokenId } = domain
    const registry = domain.registry ?? networks.cachedEveryContract(chain, 'domains')?.[0]
    const txHash = registrationOf(domain)?.onChain?.txHash
    // what a devnet's page shows of a name is the transaction that registered it
    return registry === undefined
      ? undefined
      : explorer.token(chain, registry, tokenId, txHash ? `/tx/${chain}/${txHash}` : `/api/domains/${domain.fullDomain}`)
  }
}

/** Where the outcome of an operation is answered. */
export const operationPath = ({ id }: Pick<Domain, 'id'>, { n }: Pick<Operation, 'n'>): string => `/api/domains/operations/${id}.${n}`
