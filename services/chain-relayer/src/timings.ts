/** Every interval of the relayer, in ms. Tests shorten them. */
export interface Timings {
  leaseTtl: number
  leaseRenew: number
  /** The holder stops signing and sending so long after its last renewal, by its monotonic clock. */
  leaseTrust: number
  /** How often a standby asks for the lease. */
  leaseRetry: number
  reconcile: number
  /** How often the deadline and retry times of waiting operations are looked at. */
  tick: number
  rpcTimeout: number
  readTimeout: number
  /** Delays of an operation's tries after a failure in a block. */
  retries: readonly number[]
  /** Validity of an authorisation signed for a custodial wallet. */
  authorizationTtl: number
  /** Pause before the same bytes are sent again when the node did not answer. */
  resend: number
  cursorSave: number
  /** Final blocks are gathered so long: many at once cost less. */
  finalize: number
  trimAfter: number
}

export const defaultTimings: Timings = {
  leaseTtl: 10_000,
  leaseRenew: 2_000,
  leaseTrust: 7_000,
  leaseRetry: 1_000,
  reconcile: 5_000,
  tick: 500,
  rpcTimeout: 10_000,
  readTimeout: 2_000,
  retries: [1_000, 2_000, 4_000, 8_000, 16_000],
  authorizationTtl: 600_000,
  resend: 500,
  cursorSave: 500,
  finalize: 250,
  trimAfter: 30 * 24 * 3_600_000,
}
