/** A supervisor as a process of its own, for the tests that kill it: prints one JSON line when it serves, closes on SIGTERM. */
import { startDevnet } from '../devnet.ts'

const dataDir = process.argv[2]
const devnet = await startDevnet({
  network: { chain: 'BASE_SEPOLIA', chainId: 84532, gasless: false },
  port: 0,
  ...(dataDir ? { dataDir } : {}),
  mining: { debounceMs: 2, heartbeatMs: 200 },
  deploy: async rpc => ({ deployedAfter: await rpc<string>('eth_blockNumber') }),
  log: message => process.stderr.write(`${message}\n`),
})
process.stdout.write(`${JSON.stringify({ rpcUrl: devnet.rpcUrl, wsUrl: devnet.wsUrl, anvilPid: devnet.pid })}\n`)
process.once('SIGTERM', () => void devnet.close().then(() => process.exit(0)))
