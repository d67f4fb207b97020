import type { ServiceName } from '@carapace/api'
import { makePeers, readConfig } from '@carapace/service'
import { findSystem } from '../addresses.ts'
import { processVariables } from '../config.ts'
import { existingKey } from '../keys.ts'
import { services } from '../services.ts'
import { findSigner } from '../signer.ts'
import { examine } from './examine.ts'

try {
  const config = readConfig(processVariables)
  const internalKey = config.INTERNAL_KEY ?? (await existingKey(config.DATA_DIR, 'internalKey'))
  if (internalKey === undefined)
    throw new Error(`nothing was started in ${config.DATA_DIR}: give DATA_DIR (or INTERNAL_KEY, for a system elsewhere) as the start had it`)
  const { baseUrl, address, isOfDataDir } = await findSystem(config, process.argv[2], processVariables)
  if (!isOfDataDir && config.INTERNAL_KEY === undefined)
    throw new Error(
      `${baseUrl} is not the system of ${config.DATA_DIR}: start it with this DATA_DIR, give that of its start, or INTERNAL_KEY for a system elsewhere`,
    )
  console.log(`The system at ${baseUrl}${isOfDataDir ? `, started with ${config.DATA_DIR}` : ''}`)
  const names = services.map(({ api }) => api.name as ServiceName)
  const peers = makePeers(address, internalKey)
  const findings = await examine({ baseUrl, services: names, address, peers, adminKey: config.ADMIN_API_KEY, signer: await findSigner(config) })
  for (const { where, name, count, detail } of findings) {
    console.log(`${count === 0 ? 'healthy' : 'FAULT  '}  ${where.padEnd(14)} ${name.padEnd(18)} ${count}`)
    for (const line of detail) console.log(`           ${line}`)
  }
  const wrong = findings.filter(({ count }) => count > 0).length
  console.log(wrong === 0 ? `All ${findings.length} checks pass.` : `${wrong} of ${findings.length} checks found a fault.`)
  process.exitCode = wrong === 0 ? 0 : 1
} catch (error) {
  console.error(`The doctor could not check: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
