import { currentTrace } from '@carapace/service'
import mongoose from 'mongoose'
import type { OperationCounter } from './operation-counter.ts'

/** The address of a database whose clients announce their commands. @param uri with parameters or without */
export const monitored = (uri: string): string => `${uri}${uri.includes('?') ? '&' : '?'}monitorCommands=true`

/** What the driver sends for itself. */
const ofDriver = new Set(['hello', 'ping', 'endSessions'])

/** Notes each command that this process sends from now on to a monitored database, with the trace of the work that sends it. */
export function noteCommands(counter: Pick<OperationCounter, 'note'>): void {
  for (const { readyState, getClient } of open()) {
    if (readyState !== mongoose.ConnectionStates.connected) continue
    getClient().on('commandStarted', ({ commandName: name, command }) => {
      if (!ofDriver.has(name)) counter.note({ name, traceId: currentTrace()?.traceId, text: () => textOf(command) })
    })
  }
}

const open = () => mongoose.connections.map(connection => ({ readyState: connection.readyState, getClient: () => connection.getClient() }))

const textOf = (command: object): string => JSON.stringify(command, (_, value) => (typeof value === 'bigint' ? String(value) : value)).toLowerCase()
