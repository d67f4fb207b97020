/** A record in a state that ends with the outcome of a command. */
export interface Awaiting {
  /** What the doctor calls it. @example 'escrow 0190a5d0-…' */
  record: string
  opKey: string
  /** A failure of an earlier round is not the one that is waited for. */
  round: number
  /** Since when, platform clock. */
  since: Date
}
