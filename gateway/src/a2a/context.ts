import type { ServerCallContext } from '@a2a-js/sdk/server'
import { addressKey } from '@carapace/service'
import type { Outer } from '../inside/inside.ts'

/** Under which the context of a call holds what it was made for. */
export const outerKey = 'outer'
/** The agent to whose interface the message was sent. */
export const tenantKey = 'tenant'
/** Set where the caller wants later changes too. */
export const followsKey = 'follows'

/** The request that a call came with; undefined for what a job does. */
export const outerOf = ({ state }: ServerCallContext): Outer | undefined => state.get(outerKey) as Outer | undefined

/** Whose a call is, by its user: the id of an agent, or nobody. */
export const ownerOf = ({ user }: ServerCallContext): string | null => (user?.isAuthenticated ? user.userName : null)

/** Among whose tasks, streams and followed gigs a call counts: the agent's, or those of the address that it comes from. */
export const holderOf = (context: ServerCallContext): string => ownerOf(context) ?? addressKey(outerOf(context)?.peer.ip ?? '')
