import type { Platform } from '@carapace/service'
import { openStreams } from './a2a/open-streams.ts'
import { a2aProtocol } from './a2a/protocol.ts'
import type { Tasks } from './a2a/tasks.ts'
import { type IdentityParts, identify } from './identity/identify.ts'
import { whoCalls } from './identity/me.ts'
import { namedAgent, namedWallet } from './identity/named-agent.ts'
import type { Inside, Outer } from './inside/inside.ts'
import type { Performer } from './inside/operation.ts'
import type { Signatures } from './inside/outer-signature.ts'
import type { Protocol, ProtocolName } from './protocols.ts'

export interface ProtocolParts {
  inside: Inside
  identity: IdentityParts
  verifyOuter: Signatures['verifyOuter']
  tasks: Tasks
  /** Counts a lookup of a named agent, before the call that it is for is counted. @throws RATE_LIMITED */
  countLookup(ip: string): void
  publicBaseUrl: string
  platform: Pick<Platform, 'db' | 'queue' | 'log'>
}

export interface OpenProtocols {
  /** What each protocol of the door is answered by. */
  protocols: Record<ProtocolName, Protocol>
  /** Ends their streams: the server could not close otherwise. */
  close(): Promise<void>
}

export async function openProtocols({
  inside,
  identity,
  verifyOuter,
  tasks,
  countLookup,
  publicBaseUrl,
  platform,
}: ProtocolParts): Promise<OpenProtocols> {
  const streams = await openStreams(platform)
  const performerOf = (outer: Outer): Performer => {
    let named: Promise<string | undefined> | undefined
    return {
      call: call => inside.call(outer, call),
      agentId: () => {
        named ??= namedAgent(outer.request, identity.agents, () => countLookup(outer.peer.ip))
        return named
      },
      wallet: () => namedWallet(outer.request),
    }
  }
  const identityOf = (outer: Outer) =>
    identify(outer.request, () => Promise.resolve(outer.body), outer.route, outer.peer, { ...identity, verifySignature: verifyOuter(outer) })
  const callA2a = a2aProtocol({ tasks, streams, performerOf, identityOf, publicBaseUrl, log: platform.log })
  const meOf = async (outer: Outer) => whoCalls(outer.request, await identityOf(outer), identity.agents)
  const mcpParts = { performerOf, meOf, authMode: identity.mode, publicBaseUrl }
  const callMcp = onFirstMessage(async () => (await import('./mcp/protocol.ts')).mcpProtocol(mcpParts))
  return { protocols: { callMcp, callA2a }, close: streams.close }
}

/** The SDK of the protocol and the schemas of its tools cost a tenth of a second and 20 MB, which a start without such clients saves. */
function onFirstMessage(open: () => Promise<Protocol>): Protocol {
  let opened: Promise<Protocol> | undefined
  return async (outer, response, headers) => {
    opened ??= open()
    await (await opened)(outer, response, headers)
  }
}
