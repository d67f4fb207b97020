import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ServiceName } from '@carapace/api'
import { addressesOf, type Config } from '@carapace/service'

const fileOf = (dataDir: string) => path.join(dataDir, 'services.json')

export type Addresses = Partial<Record<ServiceName, string>>

/** Leaves where the services of this start answer, for the operator's tools. Gone with `close`. */
export async function leaveAddresses(dataDir: string, addresses: Addresses): Promise<{ close(): Promise<void> }> {
  await writeFile(fileOf(dataDir), `${JSON.stringify(addresses, null, 2)}\n`, { mode: 0o600 })
  return { close: () => rm(fileOf(dataDir), { force: true }) }
}

/** Where services answer: as the start of this data folder left it, else by the SERVICE_URL template. */
export async function findAddresses(config: Config): Promise<(name: ServiceName) => string> {
  const left = await readFile(fileOf(config.DATA_DIR), 'utf8').catch(() => '{}')
  const addresses = JSON.parse(left) as Addresses
  const byTemplate = addressesOf(config)
  return name => addresses[name] ?? byTemplate(name)
}
