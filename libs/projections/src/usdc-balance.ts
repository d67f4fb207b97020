import { chainRelayerApi } from '@carapace/api'
import { type Platform, sharedRead } from '@carapace/service'

/**
 * What an address holds, micro-USDC; named `<chain>/<address>`. Concurrent callers share one read.
 * @throws from each call DEPENDENCY_UNAVAILABLE, CHAIN_UNAVAILABLE
 * @example const held = await usdcBalance(platform)('BASE_SEPOLIA/0x…')
 */
export const usdcBalance = ({ peers }: Pick<Platform, 'peers'>): ((holder: string) => Promise<bigint>) =>
  sharedRead(async holder => {
    const [chain = '', wallet = ''] = holder.split('/')
    return BigInt((await peers.call('chain-relayer', chainRelayerApi.internal.chainBalance, { params: { chain, wallet } })).usdc)
  })
