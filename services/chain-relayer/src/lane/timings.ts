import { dayMs } from '@carapace/api'

/** Every interval of the relayer. Tests shorten them. */
export interface Timings {
  leaseTtlMs: number
  leaseRenewMs: number
  /** The holder stops signing and sending so long after its last renewal, by its monotonic clock. */
  leaseTrustMs: number
  /** How often a standby tries to acquire the lease. */
  leaseRetryMs: number
  reconcileMs: number
  /** How often a leader searches the collections for what another process wrote; its own process gives notice. */
  storeCheckMs: number
  /** How often the deadline and retry times of waiting operations are checked. */
  tickMs: number
  rpcTimeoutMs: number
  readTimeoutMs: number
  /** Delays of an operation's tries after a failure in a block. */
  retryDelaysMs: readonly number[]
  /** Validity of an authorisation signed for a custodial wallet. */
  authorizationTtlMs: number
  /** Pause before the same bytes are sent again when the node did not answer. */
  resendMs: number
  cursorSaveMs: number
  /** Final blocks are collected for so long: many together cost less. */
  finalizeMs: number
  trimAfterMs: number
  /** Between the polls that must agree before something final is reversed. */
  evidenceMs: number
  /** Between the answers that must be equal before a block is followed whose header does not fit its receipts. */
  equalAnswersMs: number
}

/** Where no other process uses the database nobody waits for the lease: it is renewed seldom. */
export const aloneTimings = { leaseTtlMs: 30_000, leaseRenewMs: 9_000, leaseTrustMs: 24_000 } as const satisfies Partial<Timings>

export const defaultTimings: Timings = {
  leaseTtlMs: 10_000,
  leaseRenewMs: 3_000,
  leaseTrustMs: 7_000,
  leaseRetryMs: 1_000,
  reconcileMs: 5_000,
  storeCheckMs: 30_000,
  tickMs: 500,
  rpcTimeoutMs: 10_000,
  readTimeoutMs: 2_000,
  retryDelaysMs: [1_000, 2_000, 4_000, 8_000, 16_000],
  authorizationTtlMs: 600_000,
  resendMs: 500,
  cursorSaveMs: 500,
  finalizeMs: 250,
  trimAfterMs: 30 * dayMs,
  evidenceMs: 5_000,
  equalAnswersMs: 2_000,
}
