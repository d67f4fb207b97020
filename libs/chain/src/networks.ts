import type { Chain } from '@carapace/api'
import { canonical, type NetworkFacts, networkFacts } from '@carapace/contracts'

/** How a network prices transactions. Fees never come from getFeeData (a zero-gas node still answers 1 gwei of priority fee). */
export type FeeProfile =
  /** Base fee of the latest block times `headroom` plus a tip, both raised by bumps up to `capWei`. */
  | { type: 'eip1559'; tipWei: bigint; headroom: number; capWei: bigint }
  /** No gas price at all; a stuck transaction is only sent again. */
  | { type: 'free' }

export interface NetworkProfile extends NetworkFacts {
  readonly chain: Chain
  /** What x402 v1 calls it. */
  readonly x402Name: string
  /** Block explorer without a slash at the end. */
  readonly explorerUrl: string
  /** Users need no gas money. */
  readonly gasless: boolean
  readonly nativeSymbol: string
  readonly fees: FeeProfile
  /** Blocks on top of one that make it final, where the node has no finalized tag that moves. */
  readonly finality: { real: number; devnet: number }
  /** Most unmined transactions of one lane. */
  readonly window: { real: number; devnet: number }
  /** Milliseconds between blocks, as the watchdogs assume. */
  readonly blockMs: { real: number; devnet: number }
  /** Milliseconds after which an unmoved lowest slot is priced up or sent again. */
  readonly stuckMs: { real: number; devnet: number }
  /**
   * After so many equal answers in a row a block is followed although its header's gas or bloom does not fit its receipts: nodes of other kinds
   * fill these fields in another way. Infinity: never.
   */
  readonly equalAnswers: { real: number; devnet: number }
  /** Most gas of one batch transaction. */
  readonly batchGas: bigint
  /** Contracts whose addresses are the same on the real network and the devnet. */
  readonly canonical: { readonly USDC: string; readonly IdentityRegistry: string; readonly ReputationRegistry: string; readonly Multicall3: string }
}

const gwei = 1_000_000_000n

/** The one table of networks. Everything that differs between them is a field here. */
export const networks = {
  BASE_SEPOLIA: {
    chain: 'BASE_SEPOLIA',
    ...networkFacts.BASE_SEPOLIA,
    x402Name: 'base-sepolia',
    explorerUrl: 'https://sepolia.basescan.org',
    gasless: false,
    nativeSymbol: 'ETH',
    fees: { type: 'eip1559', tipWei: gwei / 10n, headroom: 2, capWei: 50n * gwei },
    finality: { real: 12, devnet: 2 },
    window: { real: 16, devnet: 512 },
    blockMs: { real: 2_000, devnet: 1_000 },
    stuckMs: { real: 20_000, devnet: 5_000 },
    equalAnswers: { real: 5, devnet: Number.POSITIVE_INFINITY },
    batchGas: 15_000_000n,
    canonical: { USDC: networkFacts.BASE_SEPOLIA.token.address, ...canonical },
  },
  SKALE_TESTNET: {
    chain: 'SKALE_TESTNET',
    ...networkFacts.SKALE_TESTNET,
    x402Name: 'skale-base-sepolia',
    explorerUrl: 'https://base-sepolia-testnet-explorer.skalenodes.com',
    gasless: true,
    nativeSymbol: 'sFUEL',
    fees: { type: 'free' },
    finality: { real: 1, devnet: 1 },
    window: { real: 16, devnet: 512 },
    blockMs: { real: 5_000, devnet: 1_000 },
    stuckMs: { real: 20_000, devnet: 5_000 },
    equalAnswers: { real: 5, devnet: Number.POSITIVE_INFINITY },
    batchGas: 15_000_000n,
    canonical: { USDC: networkFacts.SKALE_TESTNET.token.address, ...canonical },
  },
} as const satisfies Record<Chain, NetworkProfile>
