import { readConfig } from '@carapace/service'
import { findSystem } from '../addresses.ts'
import { processVariables } from '../config.ts'
import { findSigner } from '../signer.ts'
import { registerName } from './name.ts'
import { openDemo } from './participants.ts'
import { play } from './play.ts'

try {
  const config = readConfig(processVariables)
  const { baseUrl } = await findSystem(config, process.argv[2], processVariables)
  const system = await openDemo(baseUrl, await findSigner(config))
  const { networks } = await system.open.gateway.listNetworks()
  console.log(`One gig, one job and one name on each of ${networks.length} networks, at ${baseUrl}`)
  for (const network of networks) {
    await play(system, network, console.log)
    await registerName(system, network, console.log)
  }
  console.log(`\nDone. Open a receipt in a browser, or browse: ${baseUrl}/docs`)
} catch (error) {
  console.error(`The demo stopped: ${error instanceof Error ? error.message : String(error)}. Does the system run (npm start)?`)
  process.exitCode = 1
}
