import { connect } from '@carapace/client'
import { readConfig } from '@carapace/service'
import { findSystem } from '../addresses.ts'
import { processVariables } from '../config.ts'
import { registerName } from './name.ts'
import { play } from './play.ts'

try {
  const { baseUrl } = await findSystem(readConfig(processVariables), process.argv[2], processVariables)
  const { networks } = await connect({ baseUrl }).gateway.listNetworks()
  console.log(`One gig, one job and one name on each of ${networks.length} networks, at ${baseUrl}`)
  for (const network of networks) {
    await play(baseUrl, network, console.log)
    await registerName(baseUrl, network, console.log)
  }
  console.log(`\nDone. Open a receipt in a browser, or look around: ${baseUrl}/docs`)
} catch (error) {
  console.error(`The demo stopped: ${error instanceof Error ? error.message : String(error)}. Does the system run (npm start)?`)
  process.exitCode = 1
}
