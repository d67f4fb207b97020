import { apis, routes } from '@carapace/api'
import type { Exchange, System } from '@carapace/testing'

const table = routes(Object.values(apis))
const segmentsOf = (path: string) => path.split(/[?#]/, 1)[0]!.split('/')

/**
 * Calls every declared read once, streams left out: as a new agent for what is an agent's, as the admin for what is an admin's. Other ids in paths are those
 * that an earlier call, which was carried out, had in the same place.
 */
export async function readEverything(system: System, earlier: readonly Exchange[]): Promise<void> {
  const player = await system.newPlayer()
  const used = new Map<string, string>()
  for (const { method, path, answer } of earlier) {
    const route = table.match(method, segmentsOf(path).join('/'))
    if (!('endpoint' in route) || answer.status >= 300) continue
    eachParameter(route.path, (place, i) => void used.set(place, segmentsOf(path)[i]!))
  }
  used.set('/api/agents/', player.id)
  for (const { method, path, endpoint } of table.all) {
    if (method !== 'get' || endpoint.produces === 'text/event-stream') continue
    const segments = segmentsOf(path)
    eachParameter(path, (place, i) => {
      segments[i] = segments[i]!.replace(/:\w+/, used.get(place) ?? player.id)
    })
    const headers = endpoint.caller === 'admin' || endpoint.caller === 'oracle' ? system.admin : player.headers
    await system.call('GET', segments.join('/'), { headers })
  }
}

/** Calls back with what precedes each parameter of a declared path, and with the parameter's place among the segments. */
function eachParameter(declared: string, found: (place: string, i: number) => void): void {
  const segments = segmentsOf(declared)
  segments.forEach((segment, i) => {
    if (segment.startsWith(':')) found(`${segments.slice(0, i).join('/').replace(/:\w+/g, ':')}/`, i)
  })
}
