/** The platform's contracts, by the names of their sources. USDC is the token of the network, DevUSDC's code on a devnet. */
export const contractNames = [
  'USDC',
  'IdentityRegistry',
  'ReputationRegistry',
  'ValidationRegistry',
  'Card',
  'Escrow',
  'SwarmValidator',
  'Bond',
  'Commerce',
  'DomainRegistry',
  'DomainResolver',
  'ReputationAdapter',
  'Batcher',
] as const
export type ContractName = (typeof contractNames)[number]
export type Addresses = Readonly<Record<ContractName, string>>
