import { startGateway } from '@carapace/gateway'
import { knownNetworks, startPlatform } from '@carapace/testing'
import { readServices } from '../testing/reads.ts'

/** The services without the relayer, and the gateway, as a process of its own: `node platform-child.js <uri> <prefix>`. Sends its address; ends with its parent. */
const [uri, prefix] = process.argv.slice(2) as [string, string]
const platform = await startPlatform(readServices, {
  mongo: { uri, prefix, close: async () => undefined },
  env: { CHECK_ANSWERS: 'no', PORT: '0', RATE_LIMIT_READ: '100000000', RATE_LIMIT_WRITE: '100000000' },
  startGateway: options => startGateway({ ...options, networks: knownNetworks({}) }),
})
process.send?.({ url: platform.url })
process.once('disconnect', () => void platform.close().finally(() => process.exit()))
