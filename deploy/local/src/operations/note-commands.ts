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
    getClient().on('commandStarted', ({ commandName: name, command, databaseName }) => {
      if (ofDriver.has(name)) return
      const target = typeof command[name] === 'string' ? command[name] : name
      counter.note({ name, place: `${serviceOf(databaseName)}.${target}`, traceId: currentTrace()?.traceId, text: () => textOf(command) })
    })
  }
}

const open = () => mongoose.connections.map(connection => ({ readyState: connection.readyState, getClient: () => connection.getClient() }))

const serviceOf = (database: string): string => database.replace(/^.*carapace_/, '')

const textOf = (command: object): string => JSON.stringify(command, (_, value) => (typeof value === 'bigint' ? String(value) : value)).toLowerCase()
