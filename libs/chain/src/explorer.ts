import type { Chain } from '@carapace/api'
import { networks } from './networks.ts'

/** Link to a transaction in the network's block explorer. @example txUrl('BASE_SEPOLIA', hash) */
export const txUrl = (chain: Chain, hash: string) => `${networks[chain].explorerUrl}/tx/${hash}`
/** Link to an address. */
export const addressUrl = (chain: Chain, address: string) => `${networks[chain].explorerUrl}/address/${address}`
/** Link to one token of an ERC-721 contract. */
export const tokenUrl = (chain: Chain, contract: string, tokenId: string | bigint) => `${networks[chain].explorerUrl}/token/${contract}?a=${tokenId}`
