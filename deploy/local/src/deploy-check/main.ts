import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { processVariables } from '../config.ts'
import { type Manifest, renderOverlay } from '../kubernetes/manifests.ts'
import { freePorts } from '../testing/ports.ts'
import { provideImages } from './images.ts'
import { podsOf } from './pods.ts'
import { runPods } from './run-pods.ts'

// npm run deploy:check [-- --reuse]: the overlay dev as a cluster would run it, on podman, and the demo against it. --reuse: with the images that were
// built before. As root: it connects to pods by their addresses.
const { values } = parseArgs({ options: { reuse: { type: 'boolean', default: false } } })
const say = (line: string) => console.log(line)
const run = promisify(execFile)

/** The key of the oracle that the overlay names: the second account of every anvil. */
const oracleKey = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'
/** What `kubectl port-forward` shows of it, as the overlay says: the ports are others here, since they may be in use. */
const forwarded = { 'gateway:3000': 3000, 'anvil-base-sepolia:8545': 8545, 'anvil-skale-testnet:8545': 8546 }

const base = await freePorts(Object.keys(forwarded).length)
const ports = Object.entries(forwarded).map(([place, shown], at) => ({ place, shown, port: base + at }))
const withPorts = (manifests: Manifest[]): Manifest[] =>
  JSON.parse(ports.reduce((text, { shown, port }) => text.replaceAll(`//localhost:${shown}`, `//localhost:${port}`), JSON.stringify(manifests)))

const pods = podsOf(withPorts(await renderOverlay('dev')))
const users = new Map(pods.flatMap(({ first, containers }) => [...first, ...containers].map(({ image, user }) => [image, user] as const)))
say(`The overlay dev: ${pods.length} pods of ${users.size} images`)
const images = await provideImages([...users.keys()].toSorted(), { reuse: values.reuse, userOf: image => users.get(image)!, say })
const published = Object.fromEntries(
  ports.map(({ place, port }) => {
    const [name, inside] = place.split(':') as [string, string]
    return [name, [`127.0.0.1:${port}:${inside}`]]
  }),
)
const running = await runPods(pods, { images, published, say })
try {
  await running.ready()
  const demo = fileURLToPath(new URL('../demo/main.js', import.meta.url))
  const variables = { PATH: processVariables.PATH, DOCTOR_KEY: oracleKey }
  const { stdout } = await run(process.execPath, ['--enable-source-maps', demo, `http://localhost:${base}`], { env: variables })
  say(stdout)
  const late = await running.terminate()
  if (late.length > 0) throw new Error(`not ended within their time after SIGTERM: ${late.join(', ')}`)
  say('The demo passed, and every pod ended by itself.')
} catch (error) {
  const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string }
  console.error(`${stdout}${stderr}${message}`)
  process.exitCode = 1
} finally {
  await running.remove()
}
