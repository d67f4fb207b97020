import type { KnownNetwork } from '@carapace/chain'

const contracts = Object.fromEntries(
  'usdc identityRegistry reputationRegistry validationRegistry card escrow bond swarmValidator commerce domains reputationAdapter timelock'
    .split(' ')
    .map(name => [name, `0x${'1'.repeat(40)}`]),
) as KnownNetwork['contracts']

export const devnets: KnownNetwork[] = (['BASE_SEPOLIA', 'SKALE_TESTNET'] as const).map((chain, i) => ({
  chain,
  chainId: [84532, 324705682][i]!,
  rpcUrl: `http://127.0.0.1:${8545 + i}`,
  explorerUrl: null,
  gasless: i === 1,
  devnet: true,
  finalityBlocks: 2,
  contracts,
}))
