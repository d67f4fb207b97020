import { connect } from '@carapace/client'
import { play } from './play.ts'

const baseUrl = (process.argv[2] ?? 'http://127.0.0.1:3000').replace(/\/+$/, '')
try {
  const { networks } = await connect({ baseUrl }).gateway.listNetworks()
  console.log(`One gig on each of ${networks.length} networks, at ${baseUrl}`)
  for (const network of networks) await play(baseUrl, network, console.log)
  console.log(`\nDone. Open a receipt in a browser, or look around: ${baseUrl}/docs`)
} catch (error) {
  console.error(`The demo stopped: ${error instanceof Error ? error.message : String(error)}. Does the system run (npm start)?`)
  process.exitCode = 1
}
