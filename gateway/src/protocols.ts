import { type AnyEndpoint, a2aInterface, endpoint, type Found, serviceApi } from '@carapace/api'
import type { Response } from 'express'
import type { Outer } from './inside/inside.ts'
import type { RawHeaders } from './request/headers.ts'

/** Answers a request of another protocol by calls of the API. `headers` go with every answer. @throws Refusal */
export type Protocol = (outer: Outer, response: Response, headers: RawHeaders) => Promise<void>

const callMcp = endpoint({ method: 'post', path: '/mcp', caller: 'public', rate: 'read', summary: 'Model Context Protocol, streamable HTTP' })

const callA2a = endpoint({ method: 'post', path: a2aInterface.path, caller: 'optionalWallet', rate: 'read', summary: 'Agent2Agent, JSON-RPC' })

/** Routes of the door itself that speak other protocols: no part of the HTTP interface, which says nothing of their messages. */
export const protocolsApi = serviceApi('gateway', { endpoints: { callMcp, callA2a } })

export type ProtocolName = keyof typeof protocolsApi.endpoints

const names = new Map<AnyEndpoint, ProtocolName>(Object.entries(protocolsApi.endpoints).map(([name, declared]) => [declared, name as ProtocolName]))

/** The protocol that a route speaks; undefined for one of the HTTP interface. */
export const protocolOf = (route: Found | undefined): ProtocolName | undefined => route && names.get(route.endpoint)
