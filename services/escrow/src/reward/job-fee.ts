import type { Chain } from '@carapace/api'
import type { Decision } from '@carapace/store'

/** The fee that the commerce contract paid into the pool for a job. */
export interface JobFee {
  /** The job's id. */
  id: string
  chain: Chain
  /** micro-USDC */
  amount: bigint
  /** Of the first payment. */
  txHash: string | null
  /** The payment exists on chain. */
  isPaid: boolean
  /** Version of the latest event that corrected or confirmed that; null while there is none. */
  correctedBy: number | null
}

/** Whether the first payment is in the ledger; it may have been reversed since. */
export const isBooked = ({ isPaid, correctedBy }: JobFee): boolean => isPaid || correctedBy !== null

/** The fee after its first payment; undefined where that is booked. */
export const paidFee = (fee: JobFee): Decision<JobFee> | undefined => (isBooked(fee) ? undefined : { state: { ...fee, isPaid: true }, events: [] })

/** The fee of a payment that the chain has reversed or repeated; undefined where a later correction is known, which may be received first. */
export const correctedFee = (fee: JobFee, isPaid: boolean, correctedBy: number): Decision<JobFee> | undefined =>
  fee.correctedBy !== null && fee.correctedBy >= correctedBy ? undefined : { state: { ...fee, isPaid, correctedBy }, events: [] }
