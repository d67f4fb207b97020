import type { ContractName } from './artifact.ts'

export type Addresses = Readonly<Record<ContractName, string>>

/** The facts of a network that do not depend on the deployment. `token` is its USDC: the address, and name and version of the EIP-712 domain. */
export interface NetworkFacts {
  readonly chainId: number
  readonly title: string
  readonly token: { readonly address: string; readonly name: string; readonly version: string }
}

/** The one table of the two networks' ids, titles and tokens; devnets are the same in all of it. */
export const networkFacts = {
  BASE_SEPOLIA: {
    chainId: 84532,
    title: 'Base Sepolia',
    token: { address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', name: 'USDC', version: '2' },
  },
  SKALE_TESTNET: {
    chainId: 324705682,
    title: 'SKALE Base Sepolia',
    token: { address: '0x2e08028E3C4c2356572E096d8EF835cD5C6030bD', name: 'Bridged USDC (SKALE Bridge)', version: '2' },
  },
} as const satisfies Record<string, NetworkFacts>

/** Where public test networks have contracts that clients expect; devnets have ours there. */
export const canonical = {
  Multicall3: '0xcA11bde05977b3631167028862bE2a173976CA11',
  IdentityRegistry: '0x8004A818BFB912233c491871b3d84c89A494BD9e',
  ReputationRegistry: '0x8004B663056A597Dffe9eCcC1965A193B7388713',
} as const satisfies Partial<Record<ContractName, string>>

/** The token of the network with that chain id, if it is one of ours. */
export function tokenOf(chainId: number): NetworkFacts['token'] | undefined {
  return Object.values(networkFacts).find(facts => facts.chainId === chainId)?.token
}
