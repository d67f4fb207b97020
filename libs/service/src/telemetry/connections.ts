import type { EventEmitter } from 'node:events'
import type { Metrics } from './metrics.ts'

interface ConnectionEvent {
  address: string
  connectionId: number
}

/** Connections of a database client, in use and idle, and operations that wait for one. Those from before are known from their first use on. */
export function countConnections(client: Pick<EventEmitter, 'on'>, metrics: Pick<Metrics, 'observe'>): void {
  const [open, used] = [new Set<string>(), new Set<string>()]
  let waiting = 0
  const on = (event: string, change: (connection: string) => void) =>
    client.on(event, ({ address, connectionId }: ConnectionEvent) => change(`${address} ${connectionId}`))
  on('connectionCreated', connection => open.add(connection))
  on('connectionClosed', connection => {
    open.delete(connection)
    used.delete(connection)
  })
  on('connectionCheckOutStarted', () => waiting++)
  on('connectionCheckOutFailed', () => waiting--)
  on('connectionCheckedOut', connection => {
    waiting--
    open.add(connection)
    used.add(connection)
  })
  on('connectionCheckedIn', connection => used.delete(connection))
  metrics.observe('db.client.connection.count', () => Object.entries({ used: used.size, idle: open.size - used.size }))
  metrics.observe('db.client.connection.pending_requests', () => waiting)
}
