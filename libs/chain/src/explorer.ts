import type { Chain } from '@carapace/api'
import type { NetworkReader } from './network-reader.ts'
import { networks } from './networks.ts'

/** The pages of transactions, tokens and contracts. */
export interface Explorer {
  /** The page of a transaction. @example explorer.tx('BASE_SEPOLIA', hash) */
  tx(chain: Chain, hash: string): string
  /** The page of one token of an ERC-721 contract; `ownPage` is the path of the gateway that says the same of a devnet's. */
  token(chain: Chain, contract: string, tokenId: string | bigint, ownPage: string): string
  /** The page of a contract; null on a devnet, whose contracts have none. */
  contract(chain: Chain, address: string): string | null
}

/** What the configuration says of the networks, until the relayer has answered. */
export interface ExplorerConfig {
  SANDBOX?: boolean | undefined
  BASE_SEPOLIA_RPC_URL?: string | undefined
  SKALE_TESTNET_RPC_URL?: string | undefined
}

/**
 * A devnet is known by no public explorer: its links lead to pages of the gateway, whose public address is `baseUrl`. What a network is the
 * relayer has seen: a node of a public network may run on this machine, and a devnet on another.
 */
export function explorerOf(reader: Pick<NetworkReader, 'isDevnet'>, config: ExplorerConfig, baseUrl: string): Explorer {
  const isDevnet = (chain: Chain) => reader.isDevnet(chain) ?? (config.SANDBOX === true || isLoopback(config[`${chain}_RPC_URL`]))
  return {
    tx: (chain, hash) => (isDevnet(chain) ? `${baseUrl}/tx/${chain}/${hash}` : `${networks[chain].explorerUrl}/tx/${hash}`),
    token: (chain, contract, tokenId, ownPage) =>
      isDevnet(chain) ? `${baseUrl}${ownPage}` : `${networks[chain].explorerUrl}/token/${contract}?a=${tokenId}`,
    contract: (chain, address) => (isDevnet(chain) ? null : `${networks[chain].explorerUrl}/address/${address}`),
  }
}

const isLoopback = (url: string | undefined): boolean =>
  url !== undefined && URL.canParse(url) && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
