import { type AnyEndpoint, type ServiceApi, serviceApi } from '@carapace/api'
import { type AnyService, defineService, type HandlersOf } from '@carapace/service'

/**
 * Stands in for a service next to the tested one: answers those of its internal endpoints that have a handler here.
 * @example stubPeer(identityApi, { getAgentRow: ({ params }) => rowOf(params.id) })
 */
export function stubPeer<Internal extends Record<string, AnyEndpoint>>(
  { name, internal }: ServiceApi<Record<string, AnyEndpoint>, Internal>,
  handlers: Partial<HandlersOf<ServiceApi<Record<never, never>, Internal>>>,
): AnyService {
  const offered = Object.fromEntries(Object.entries(internal).filter(([endpoint]) => endpoint in handlers))
  return defineService({ api: serviceApi(name, { endpoints: {}, internal: offered }), stores: () => ({}), http: () => handlers as never })
}
