import type { ContractName } from './artifact.ts'

export type Addresses = Readonly<Record<ContractName, string>>

/** Chain ids of the two networks. */
export const chainIds = { BASE_SEPOLIA: 84532, SKALE_TESTNET: 324705682 } as const

/** USDC as clients of each network know it: address and the name in its EIP-712 domain (version "2"). */
export const usdcOf: Readonly<Record<number, { address: string; name: string }>> = {
  [chainIds.BASE_SEPOLIA]: { address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', name: 'USDC' },
  [chainIds.SKALE_TESTNET]: { address: '0x2e08028E3C4c2356572E096d8EF835cD5C6030bD', name: 'Bridged USDC (SKALE Bridge)' },
}

/** Where public test networks have contracts that clients expect; devnets have ours there. */
export const canonical = {
  Multicall3: '0xcA11bde05977b3631167028862bE2a173976CA11',
  IdentityRegistry: '0x8004A818BFB912233c491871b3d84c89A494BD9e',
  ReputationRegistry: '0x8004B663056A597Dffe9eCcC1965A193B7388713',
} as const satisfies Partial<Record<ContractName, string>>
