import type { Chain } from '@carapace/api'
import type { ChainUnderTest } from './chains.ts'

/** Something that goes wrong with a chain for a while, and then ends by itself. */
export interface Fault {
  name: string
  /** How long it lasts. */
  seconds: number
  begin(chain: ChainUnderTest): Promise<unknown> | unknown
  /** Ends the fault; absent when `begin` ends it itself. */
  end?(chain: ChainUnderTest): Promise<unknown> | unknown
  /** Happens again so many seconds after it began, while it lasts. */
  everySeconds?: number
  /** The only network that knows it. Default: either. */
  only?: Chain
  /** The long form has it on each network. */
  isOnEach?: boolean
  /** The lane confirms a new transaction within so many seconds after it ended. */
  laneSeconds?: number
  /** Part of the short form. */
  isShort?: boolean
}
