import type { KnownNetwork } from '@carapace/chain'
import type { Config } from '@carapace/service'
import { isLoopback } from './request/request.ts'

export interface AuthPolicy {
  mode: 'plain' | 'signed'
  /** Plain mode that others than this machine's users can reach, or with real money: accepted by the operator, with a signature for what costs most. */
  exposed: boolean
}

/**
 * How callers prove who they are.
 * @throws Error when plain mode would be open to other machines and nobody has accepted that
 */
export function authPolicy(config: Config, networks: readonly KnownNetwork[] | undefined): AuthPolicy {
  const mode = config.AUTH_MODE ?? 'signed'
  if (mode === 'signed') return { mode, exposed: false }
  const reasons = [
    ...(isLoopback(config.HOST) ? [] : [`HOST is ${config.HOST}`]),
    ...(networks === undefined ? ['it is not known whether the networks are devnets'] : []),
    ...(networks ?? []).filter(network => !network.devnet).map(network => `${network.chain} is a real network`),
  ]
  if (reasons.length > 0 && !config.PLAIN_MODE_ACCEPTED)
    throw new Error(
      `AUTH_MODE=plain lets anybody who can reach the gateway act for any agent, and ${reasons.join(', ')}. Set AUTH_MODE=signed, or PLAIN_MODE_ACCEPTED=yes to accept it`,
    )
  return { mode, exposed: reasons.length > 0 }
}
