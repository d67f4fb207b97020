import type { EventEmitter } from 'node:events'
import type { Metrics } from './metrics.ts'

/** Connections of a database client: open ones, those in use, and operations that wait for one. */
export function countConnections(client: Pick<EventEmitter, 'on'>, metrics: Pick<Metrics, 'gauges'>): void {
  const counts = { open: 0, used: 0, waiting: 0 }
  const changes: Record<string, Partial<typeof counts>> = {
    connectionCreated: { open: 1 },
    connectionClosed: { open: -1 },
    connectionCheckOutStarted: { waiting: 1 },
    connectionCheckedOut: { waiting: -1, used: 1 },
    connectionCheckOutFailed: { waiting: -1 },
    connectionCheckedIn: { used: -1 },
  }
  for (const [event, change] of Object.entries(changes))
    client.on(event, () => {
      for (const [name, by] of Object.entries(change)) counts[name as keyof typeof counts] += by
    })
  metrics.gauges('db_connections', 'Connections to the database that are open or used, and operations that wait for one', 'state', () =>
    Object.entries(counts),
  )
}
