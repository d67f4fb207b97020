/**
 * Who may call an endpoint (behaviour 0, 1.6). The gateway and the services enforce it from here; handlers only check the object.
 * needs: what must be proven. optional: what is resolved when it is sent, and refused when it is sent wrongly.
 */
export const callers = {
  /** P: anybody; identity headers are not read. */
  public: { needs: 'nothing', optional: false },
  /** Anybody; identity headers, if sent, must be right and change the answer. */
  optional: { needs: 'nothing', optional: true },
  /** Anybody; who sends one identity header sends what W needs. */
  optionalWallet: { needs: 'nothing', optional: true },
  /** A: `x-agent-id` of a registered agent; `x-wallet-address`, if sent too, is its wallet. */
  agent: { needs: 'agent', optional: false },
  /** W: `x-agent-id` and `x-wallet-address` of one registered agent. */
  wallet: { needs: 'wallet', optional: false },
  /** X: `x-wallet-address` only, acts for the agent registered with it. */
  walletOnly: { needs: 'walletOnly', optional: false },
  /** Ora: `x-admin-wallet` is the oracle's or an admin's. */
  oracle: { needs: 'oracle', optional: false },
  /** Adm: `x-admin-wallet` is an admin's. */
  admin: { needs: 'admin', optional: false },
  /** W, or Ora when `x-admin-wallet` is sent. */
  walletOrOracle: { needs: 'walletOrOracle', optional: false },
  /** A, or Ora when `x-admin-wallet` is sent. */
  agentOrOracle: { needs: 'agentOrOracle', optional: false },
  /** Between services only: a signed internal context, no agent. */
  internal: { needs: 'internal', optional: false },
} as const

export type CallerClass = keyof typeof callers

export interface AgentCaller {
  kind: 'agent'
  agentId: string
  /** EIP-55 form of the registered wallet. */
  wallet: string
}
export interface AdminCaller {
  kind: 'admin' | 'oracle'
  /** EIP-55 form. */
  wallet: string
}

/** What a handler of an endpoint with that caller class gets as `caller`. */
export type CallerOf<C extends CallerClass> = C extends 'agent' | 'wallet' | 'walletOnly'
  ? AgentCaller
  : C extends 'oracle' | 'admin'
    ? AdminCaller
    : C extends 'walletOrOracle' | 'agentOrOracle'
      ? AgentCaller | AdminCaller
      : C extends 'optional' | 'optionalWallet'
        ? AgentCaller | AdminCaller | undefined
        : undefined
