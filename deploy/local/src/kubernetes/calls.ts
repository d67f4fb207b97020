import { fileURLToPath } from 'node:url'
import { apis, consumedBy, type ServiceApi, type ServiceName, serviceNames } from '@carapace/api'
import { build, type Plugin } from 'esbuild'

/** A call by name: `peers.call('escrow', …)`, `peers.find('escrow', …)`, `readBack(peers, 'escrow', …)`. */
const named = /(?:\.\s*(?:call|find)\(|\bpeers\d*,)\s*"([a-z-]+)"/g
/** A call whose service is known only when it runs: `peers.call(owner, getReservationUse, …)`. */
const unnamed = /\bpeers\d*\.\s*(?:call|find)\(\s*(?!["'`])[\w.]+,\s*(?:\w+\.)*(\w+)/g
/** The parameter by which `peers.find` and `readBack` pass on a call of others, which are read themselves. */
const passedEndpoint = /^endpoint\d*$/
/** Calls the relayer; opened only where commands or contracts are followed. */
const followsChains = /\/outcomes\/(poll|logs)\.js$/

/**
 * Which services the program of a service calls over HTTP, from its compiled code: what it imports of ours, without the functions that nothing in it uses.
 */
export async function callsOf(service: ServiceName): Promise<Set<ServiceName>> {
  const follows = consumedBy(apis[service]).some(({ type }) => type.startsWith('chain.'))
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('main.js', import.meta.resolve(`@carapace/${service}`)))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    plugins: [oursOnly(file => follows || !followsChains.test(file))],
    logLevel: 'error',
  })
  const { text } = outputFiles[0]!
  const names = [...text.matchAll(named)].map(([, name]) => name as ServiceName)
  // the gateway passes requests on to all
  const others = service === 'gateway' ? runningServices() : [...text.matchAll(unnamed)].flatMap(([, endpoint]) => servicesWith(endpoint!))
  return new Set([...names, ...others].filter(name => serviceNames.includes(name) && name !== service))
}

/** @throws for an endpoint that no service declares: the policies would deny the call */
function servicesWith(endpoint: string): ServiceName[] {
  if (passedEndpoint.test(endpoint)) return []
  const found = declared.filter(({ internal }) => Object.hasOwn(internal ?? {}, endpoint)).map(({ name }) => name)
  if (found.length === 0) throw new Error(`No service declares the endpoint ${endpoint}, which is called by a name that is known only when it runs`)
  return found
}

const declared: readonly ServiceApi[] = Object.values(apis)
const runningServices = (): ServiceName[] => declared.flatMap(({ name, planned }) => (planned ? [] : [name]))

/** Our modules have no effects at import: what is not used can be left out. Packages of others call no service of ours. */
const oursOnly = (isOpened: (file: string) => boolean): Plugin => ({
  name: 'ours only',
  setup: ({ onResolve }) => {
    onResolve({ filter: /.*/ }, ({ path, kind, resolveDir }) => {
      if (kind === 'entry-point') return undefined
      const isOurs = path.startsWith('.') || path.startsWith('@carapace/')
      const file = path.startsWith('.')
        ? fileURLToPath(new URL(path, `file://${resolveDir}/`))
        : isOurs
          ? fileURLToPath(import.meta.resolve(path))
          : path
      return isOurs && isOpened(file) ? { path: file, sideEffects: false } : { path, external: true }
    })
  },
})
