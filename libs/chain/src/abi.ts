import { abiErc8183, abiSpec, interfaceOf } from '@carapace/contracts'
import type { Interface } from 'ethers'
import type { ContractName } from './contract-names.ts'

/** The ABI of one of our contracts. The network's USDC speaks the devnet token's ABI (FiatToken 2.2 is the same where it matters). */
export const contractInterface = (name: ContractName): Interface => interfaceOf(name === 'USDC' ? 'DevUSDC' : name)

/** The commerce contract for its two kinds of readers: the platform's events, or those of the ERC text. */
export const commerceAbis = { spec: abiSpec, erc8183: abiErc8183 }
