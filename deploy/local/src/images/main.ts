import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { buildOf } from '../deploy-check/images.ts'
import { engine } from '../deploy-check/podman.ts'
import { root } from '../kubernetes/manifests.ts'
import { services } from '../services.ts'
import { layersOf, limitMb, ownLayers } from './layers.ts'

// npm run deploy:images [-- --engine=docker --tag=latest --base=node:20-bookworm-slim]: builds every image of deploy/Dockerfile and prints what each adds
// to its base.
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'podman' },
    tag: { type: 'string', default: 'dev' },
    base: { type: 'string', default: 'node:20-bookworm-slim' },
  },
})
const run = engine(values.engine)
const names = [...services.map(({ api }) => api.name), 'gateway', 'contracts', 'embedded-mongo', 'devnet']
// without these podman forgets health checks, and builds everything for each image
const how = values.engine === 'podman' ? ['--layers', '--isolation', 'chroot', '--format', 'docker'] : []
const mb = (bytes: number): string => (bytes / 1e6).toFixed(1)

const history = async (image: string) => layersOf(await run('history', '--no-trunc', '--human=false', '--format', '{{.Size}}\t{{.CreatedBy}}', image))

for (const name of names) {
  const image = `carapace/${name}:${values.tag}`
  await build(image)
  const own = ownLayers(await history(image), await history(values.base))
  const total = own.reduce((sum, { bytes }) => sum + bytes, 0)
  const isTooLarge = total > limitMb * 1e6
  console.log(`${mb(total).padStart(6)} MB  ${image}${isTooLarge ? `  more than ${limitMb} MB` : ''}`)
  for (const { bytes, by } of own) console.log(`${mb(bytes).padStart(10)}  ${by.slice(0, 100)}`)
  if (isTooLarge) process.exitCode = 1
}

/** Shows the end of what the engine printed where it fails. */
async function build(image: string): Promise<void> {
  const args = ['build', ...how, ...buildOf(image)!, '--build-arg', `NODE=${values.base}`, '-t', image, '-f', `${root}deploy/Dockerfile`, root]
  const child = spawn(values.engine, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${image} could not be built`)
}
