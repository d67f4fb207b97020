import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ServiceName } from '@carapace/api'
import { folderHolder } from '@carapace/devnet'
import { addressesOf, type Config } from '@carapace/service'
import type { Variables } from './environment.ts'

const fileOf = (dataDir: string) => path.join(dataDir, 'services.json')

export type Addresses = Partial<Record<ServiceName, string>>

/** Leaves where gateway and services of this start answer, for the operator's tools. Deleted by `close`. */
export async function leaveAddresses(dataDir: string, addresses: Addresses): Promise<{ close(): Promise<void> }> {
  await writeFile(fileOf(dataDir), `${JSON.stringify(addresses, null, 2)}\n`, { mode: 0o600 })
  return { close: () => rm(fileOf(dataDir), { force: true }) }
}

export interface System {
  /** The gateway. */
  baseUrl: string
  /** Where services answer: as the running start of this data folder left it, else by the SERVICE_URL template. */
  address: (name: ServiceName) => string
  /** The system that runs with this data folder. */
  isOfDataDir: boolean
}

/**
 * The system that the operator means: the given address, else the one that runs with this data folder, else by PUBLIC_BASE_URL, HOST and PORT.
 * A PORT that the operator names goes before the data folder.
 * @param given address of a gateway
 */
export async function findSystem(config: Config, given: string | undefined, variables: Variables = {}): Promise<System> {
  const addresses = await readAddresses(config.DATA_DIR)
  const byTemplate = addressesOf(config)
  const configured = config.PUBLIC_BASE_URL ?? `http://${config.HOST}:${config.PORT}`
  const byPort = Number(variables.PORT) > 0 && addresses.gateway && new URL(addresses.gateway).port !== variables.PORT ? configured : undefined
  const baseUrl = (given ?? byPort ?? addresses.gateway ?? configured).replace(/\/+$/, '')
  return { baseUrl, address: name => addresses[name] ?? byTemplate(name), isOfDataDir: baseUrl === addresses.gateway }
}

/** None when the start that left them has ended, as after `kill -9`: another system may answer there now. */
async function readAddresses(dataDir: string): Promise<Addresses> {
  if ((await folderHolder(dataDir)) === undefined) return {}
  return JSON.parse(await readFile(fileOf(dataDir), 'utf8').catch(() => '{}')) as Addresses
}
