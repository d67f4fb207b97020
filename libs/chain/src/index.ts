export {
  type AuthorizationRequest,
  authorizationDigest,
  type FundingSource,
  fundingSource,
  permitDigest,
  type SignedAuthorization,
  type TokenDomain,
} from './authorization.ts'
export type { Command, CommandInput, ContractCall, EffectCheck, NativeTransfer } from './command.ts'
export { commandOf, commands, commandTable } from './commands.ts'
export { claimKey } from './commands/swarm.ts'
export { type Addresses, type ContractName, contractNames } from './contract-names.ts'
export { addressUrl, tokenUrl, txUrl } from './explorer.ts'
export { domainTokenId, escrowSlot, jobIdTopic, onChainKey, paymentNonce, toChecksum, uuidOfKey, validationKey } from './keys.ts'
export { type FeeProfile, type NetworkProfile, networkOf, networks } from './networks.ts'
