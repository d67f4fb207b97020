export { newJudgement, scoreWeights, type Tier, tierFloors, tiers } from '@carapace/formula/terms'
// Events and the services' declarations are exported whole: adding one is a change of one file (docs/extend.md).

export { isScoreMoved } from './agent-facts.ts'
export { apis, apiVersion } from './apis.ts'
export { asyncapi, asyncapiSteps } from './asyncapi.ts'
export { type ChainCommand, chainCommand, chainCommandType, commandRoute } from './chain-relayer/command.ts'
export type { CommandKind } from './chain-relayer/command-kinds.ts'
export * from './chain-relayer/events.ts'
export { maxChainReads, outcomesPerRequest } from './chain-relayer/internal.ts'
export type { ChainLog } from './chain-relayer/log.ts'
export { type Network, network } from './chain-relayer/network.ts'
export { chainOutcome, type FollowedOutcome, type OutcomeName, outcomeNameOf, outcomesOf, type PublishedOutcome } from './chain-relayer/outcomes.ts'
export * from './chain-relayer.ts'
export * from './commerce/events.ts'
export { type CommerceReceipt, type Job, type JobStatus, jobStatuses } from './commerce/records.ts'
export * from './commerce.ts'
export { type Audience, type Seen, seenOf } from './core/audience.ts'
export { type AdminCaller, type AgentCaller, type CallerClass, type CallerOf, callers } from './core/callers.ts'
export { moveClock } from './core/clock.ts'
export {
  clearingBalances,
  clearingPageSize,
  type DoctorCheck,
  doctorReport,
  explainClearing,
  type Saga,
  sagaReport,
  sagasShown,
} from './core/doctor.ts'
export {
  type BodyInputOf,
  type BodyOf,
  type CallerClassOf,
  type Endpoint,
  endpoint,
  type ParamsOf,
  type Price,
  type QueryInputOf,
  type QueryOf,
  type ResponseOf,
} from './core/endpoint.ts'
export {
  commonErrors,
  type ErrorCode,
  errorBody,
  errors,
  type PassingStates,
  Refusal,
  type RefusalExtras,
  type RuleCode,
  refusalIn,
  refuse,
  refuseField,
  retryableIn,
} from './core/errors.ts'
export { type CloudEvent, cloudEvent, type Draft, type EventDef, event, exchanges, type PayloadOf } from './core/event.ts'
export { type Chain, chain, chains, handle, micro, type NextDeadline, type PageQuery } from './core/fields.ts'
export type { FundingOptions } from './core/funding.ts'
export { type Json, schemaBook, selfContained, typesOnly } from './core/json-schema.ts'
export { limits } from './core/limits.ts'
export { feeOf, formatUsdc, MICRO, parseUsd, usd } from './core/money.ts'
export { hasNewcomerLane, isInNewcomerLane, type LaneFacts, laneInForce, laneRank } from './core/newcomer-lane.ts'
export type { Quote, QuoteEndpoint } from './core/quote.ts'
export { requestOf } from './core/request-of.ts'
export { getReservationUse } from './core/reservation-use.ts'
export { type Found, isDotSegment, type RouteTable, routes } from './core/routes.ts'
export { type AnyEndpoint, type AnyEvent, type ServiceApi, type ServiceName, serviceApi, serviceNames, serviceSummaries } from './core/service-api.ts'
export { type Authorization, newAgentScore, riskLevelOf } from './core/terms.ts'
export { dayMs, hourMs } from './core/time.ts'
export * from './domains/events.ts'
export { type DomainRecord, domainPrices, type Extension, extensions, reservedNames } from './domains/records.ts'
export * from './domains.ts'
export * from './escrow/bond-events.ts'
export * from './escrow/events.ts'
export { type BondRow, bondRow, type EscrowRow, type ShownBond } from './escrow/internal.ts'
export type { Bond, Escrow, EscrowStatus, Slash, TrustReceipt } from './escrow/records.ts'
export * from './escrow.ts'
export { type A2aSkill, a2aCapabilities, a2aInterface, a2aSkills } from './gateway/a2a.ts'
export { type Bazaar, bazaarOf } from './gateway/bazaar.ts'
export { clockAdvanced } from './gateway/events.ts'
export { type PaymentChallenge, type PaymentProof, paymentProof } from './gateway/x402.ts'
export * from './gateway.ts'
export * from './identity/events.ts'
export type { AgentRow } from './identity/internal.ts'
export type { AgentProfile } from './identity/records.ts'
export { reservedHandles } from './identity/registration.ts'
export type { SkillRecord } from './identity/skills.ts'
export * from './identity.ts'
export * from './marketplace/events.ts'
export type { CrewRow, GigRow } from './marketplace/internal.ts'
export { type Application, type Crew, type Gig, type GigStatus, gigStatuses, type Offer } from './marketplace/records.ts'
export * from './marketplace.ts'
export { consumes as liveEvents } from './notifications/consumes.ts'
export * from './notifications/events.ts'
export { type LiveEvent, liveEvent } from './notifications/live.ts'
export type { Notification, NotificationType, WebhookDelivery } from './notifications/records.ts'
export * from './notifications.ts'
export { openapi, openapiSteps } from './openapi/document.ts'
export { exampleOf } from './openapi/example.ts'
export { type PaymentCorrection, paymentCorrection } from './payment-correction.ts'
export { commandQueue, consumedBy, eventQueue, queuesOf } from './queues.ts'
export * from './reputation/events.ts'
export type { ScoreRow } from './reputation/internal.ts'
export * from './reputation.ts'
export * from './social/events.ts'
export { message } from './social/records.ts'
export * from './social.ts'
export * from './swarm/events.ts'
export type { ValidationRow } from './swarm/internal.ts'
export type { Validation, ValidationStatus } from './swarm/records.ts'
export * from './swarm.ts'
export * from './treasury/events.ts'
export type { WalletRow } from './treasury/internal.ts'
export { paymentStatuses } from './treasury/records.ts'
export type { SettledX402 } from './treasury/x402-internal.ts'
export * from './treasury.ts'
