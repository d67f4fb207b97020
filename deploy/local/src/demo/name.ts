import type { Network } from '@carapace/api'
import { EnsPlugin, Network as EthersNetwork, JsonRpcProvider } from 'ethers'
import { registerParticipant, type System } from './participants.ts'
import type { Say } from './play.ts'

/**
 * Registers a .molt name for a new agent and resolves it with ethers, which knows nothing of the platform but the address of its ENS registry.
 * @throws Error when the chain says otherwise
 */
export async function registerName(system: System, { chain, chainId, rpcUrl, contracts }: Network, say: Say): Promise<void> {
  const owner = await registerParticipant(system, 'owner', chain)
  const { fullDomain, txHash } = await owner.as.domains.registerDomain({ body: { name: owner.handle, tld: 'molt', pricePaid: 0 } })
  say(`  name         ${fullDomain} for ${owner.wallet.address}: ${txHash ?? 'not confirmed yet'}`)
  const ens = new EthersNetwork(chain, chainId).attachPlugin(new EnsPlugin(contracts.ensRegistry, chainId))
  const provider = new JsonRpcProvider(rpcUrl, ens, { staticNetwork: ens, cacheTimeout: -1 })
  try {
    const [address, name] = [await provider.resolveName(`${owner.handle}.molt`), await provider.lookupAddress(owner.wallet.address)]
    if (address !== owner.wallet.address) throw new Error(`${fullDomain} resolves to ${address}`)
    if (name !== fullDomain) throw new Error(`${owner.wallet.address} is called ${name} on chain`)
    say(`  resolved     ethers finds ${address} by ${name}, and the other way round`)
  } finally {
    provider.destroy()
  }
}
