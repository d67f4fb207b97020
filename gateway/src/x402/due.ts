import type { Quote, Refusal } from '@carapace/api'

/** What the intake is to be paid for: only its service knows the price, and whether it can be had. */
export interface Funding extends Quote {
  service: 'escrow' | 'domains'
  /** Why a new payment would be for nothing. */
  refusal: Refusal | undefined
}

/** What a payment is for. */
export interface Due {
  /** Method and path template. */
  route: string
  /** µ */
  price: bigint
  description: string
  /** Of what the intake is paid for; undefined: a sold read. */
  fund?: Funding
}
