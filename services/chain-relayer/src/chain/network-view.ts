import type { Network } from './network.ts'

/** A network as users see it (GET /api/networks). */
export function networkView({ network, timelock }: { network: Network; timelock: string | null }) {
  const { profile, addresses, former, chain, devnet, finality, token } = network
  return {
    chain,
    chainId: profile.chainId,
    rpcUrl: network.publicRpcUrl ?? network.rpcUrl,
    // A devnet's transactions are in no explorer.
    explorerUrl: devnet ? null : profile.explorerUrl,
    gasless: profile.gasless,
    devnet,
    finalityBlocks: finality,
    formerContracts: {
      escrow: [...(former.Escrow ?? [])],
      bond: [...(former.Bond ?? [])],
      swarmValidator: [...(former.SwarmValidator ?? [])],
      commerce: [...(former.Commerce ?? [])],
      jobEvaluator: [...(former.JobEvaluator ?? [])],
      domains: [...(former.DomainRegistry ?? [])],
    },
    tokenDomain: { name: token.name, version: token.version },
    contracts: {
      usdc: addresses.USDC,
      identityRegistry: addresses.IdentityRegistry,
      reputationRegistry: addresses.ReputationRegistry,
      validationRegistry: addresses.ValidationRegistry,
      card: addresses.Card,
      escrow: addresses.Escrow,
      bond: addresses.Bond,
      swarmValidator: addresses.SwarmValidator,
      commerce: addresses.Commerce,
      jobEvaluator: addresses.JobEvaluator,
      domains: addresses.DomainRegistry,
      ensRegistry: addresses.EnsRegistry,
      domainResolver: addresses.DomainResolver,
      reputationAdapter: addresses.ReputationAdapter,
      timelock,
    },
  }
}
