export { authorizationFields, laneRoles, permitFields, replacedTogether } from '@carapace/contracts'
export { commerceAbis, contractInterface } from './abi.ts'
export {
  type AuthorizationRequest,
  authorizationDigest,
  type FundingSource,
  permitDigest,
  type SignedAuthorization,
  type TokenDomain,
} from './authorization.ts'
export { batchId, batchResults, encodeBatch } from './batch.ts'
export { type Command, type ContractCall, type Need, operationKey, operationParts } from './command.ts'
export { claimKey } from './commands/swarm.ts'
export { commandOf, commands, commandTable } from './commands.ts'
export { type Addresses, type ContractName, contractNames, everyAddress, type Former, replaceableContracts } from './contract-names.ts'
export { decodeResult, type EncodedCall, encodeCall } from './encode.ts'
export { type Explorer, explorerOf } from './explorer.ts'
export { findSource, isProven, optionsNow, reserveCustodial } from './funding/find-source.ts'
export { intakeOf } from './funding/intake.ts'
export {
  domainOperationId,
  domainTokenId,
  escrowSlot,
  jobIdOfKey,
  jobIdTopic,
  logIdentity,
  onChainKey,
  paymentNonce,
  toChecksum,
  uuidOfKey,
} from './keys.ts'
export { laneRoleCalls } from './lane-role-calls.ts'
export { logDecoder, type RawLog } from './logs.ts'
export { type KnownNetwork, type NetworkReader, networkReader } from './network-reader.ts'
export { type FeeProfile, type NetworkProfile, networks } from './networks.ts'
export { followAfterMs } from './outcome/follow-after.ts'
export { failureText, observedOutcome } from './outcome/observed-outcome.ts'
export { followEffect, followOutcome, type ObservedEffect, type ObservedOutcome, type OnChain, sentOnChain } from './outcome/on-chain.ts'
export { retryAfter } from './outcome/retry-after.ts'
export { type CommandOutcome, trackOutcome } from './outcome/track-outcome.ts'
export { perChain } from './per-chain.ts'
export { named, plain, rawForm } from './plain.ts'
export { contractField, orFirst, unlessFirst } from './replaced/first-contract.ts'
export { jobIdOn } from './replaced/job-id-on.ts'
export { decodeRevert, type Revert, revertClass, revertText } from './revert.ts'
export { stateByKey } from './state-by-key.ts'
export { chainOfPayment, nonceTail, type PaymentTerms, type PaymentTermsV1, paymentTerms, paymentTermsV1, paymentWindowSeconds } from './x402.ts'
