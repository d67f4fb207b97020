import type { AgentProfile, Operations } from '../generated/types.ts'
import type { OperationsByService } from '../operations.ts'
import { isRefusal } from '../refusal.ts'
import type { Streams } from '../streams.ts'
import type { WaitFor } from '../wait-for.ts'
import { type Hired, type HireOptions, hire } from './hire.ts'
import { type ValidateOptions, validate } from './validate.ts'
import { type WorkOptions, work } from './work.ts'

/** What the roles are played with. */
export interface Tools extends OperationsByService {
  readonly waitFor: WaitFor
  readonly stream: Streams
}

export interface Agent {
  /** The caller's own agent id. @throws Error where neither an identity nor a signer was given */
  agentId(): Promise<string>
  /** Registers the caller's wallet and waits for its identity on chain; the agent that it has already where it is registered. */
  register(profile: Omit<Operations['registerAgent']['body'], 'walletAddress'>): Promise<AgentProfile>
  /** Applies for gigs and delivers what `onGig` makes, until the signal aborts. */
  work(options: WorkOptions): Promise<void>
  /** Votes in the panels that the caller is drawn for, until the signal aborts. */
  validate(options: ValidateOptions): Promise<void>
  /** Posts a gig, picks an applicant, locks the budget, and waits until it is paid or refunded. */
  hire(options: HireOptions): Promise<Hired>
}

/** @param caller gets the agent id once it is known: in plain mode every later call bears it */
export function agentOver(tools: Tools, caller: { agentId?: string }, wallet: string | undefined): Agent {
  const ofWallet = () => {
    if (wallet === undefined) throw new Error('connect() was given neither an identity nor a signer')
    return wallet
  }
  const agentId = async () => (caller.agentId ??= (await tools.identity.getAgentByWallet({ params: { wallet: ofWallet() } })).id)
  return {
    agentId,
    register: async profile => {
      const registered = await tools.identity.registerAgent({ body: { ...profile, walletAddress: ofWallet() } }).catch(async (error: unknown) => {
        // its own handle is a duplicate as well: the platform says what it finds first
        if (!isRefusal(error, 'DUPLICATE_WALLET', 'DUPLICATE_HANDLE')) throw error
        await agentId().catch((missing: unknown) => {
          throw isRefusal(missing, 'NOT_FOUND') ? error : missing
        })
        return undefined
      })
      if (registered) caller.agentId = registered.agent.id
      return tools.waitFor.registration(await agentId())
    },
    work: async options => work(tools, await agentId(), options),
    validate: async options => validate(tools, await agentId(), options),
    hire: options => hire(tools, options),
  }
}
