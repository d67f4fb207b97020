import { type Manifest, ofKind } from '../kubernetes/manifests.ts'

/** A pod as podman can run it: what a Deployment says of one, with the files and variables that it refers to. */
export interface Pod {
  name: string
  /** Names of the Services that lead to it. */
  aliases: string[]
  /** Run one after the other before the others start. */
  first: PodContainer[]
  containers: PodContainer[]
  volumes: Record<string, PodVolume>
}
/** Its files, or nothing: a folder that the containers of the pod share. */
export type PodVolume = Readonly<Record<string, string>>
export interface PodContainer {
  name: string
  image: string
  user: string
  variables: Record<string, string>
  args: string[]
  mounts: { volume: string; path: string; readOnly: boolean }[]
  isReadOnly: boolean
  memory: string
  probe?: Probe
}
/** Without a path: a connection is enough. */
export interface Probe {
  port: number
  path?: string
}

/* biome-ignore-start lint/suspicious/noExplicitAny: manifests are held to their schemas by kubernetes.test.ts */
type Fields = any

/**
 * One pod of each Deployment, in an order in which each finds what it waits for: those that run something first come last.
 * @throws Error that names what a pod refers to and nothing declares, or what is not run here
 */
export function podsOf(manifests: readonly Manifest[]): Pod[] {
  const pods = ofKind(manifests, 'Deployment').map(deployment => podOf(deployment, manifests))
  return pods.toSorted((a, b) => a.first.length - b.first.length)
}

function podOf({ metadata: { name }, spec }: Manifest, manifests: readonly Manifest[]): Pod {
  const { metadata, spec: pod }: Fields = spec.template
  const context = pod.securityContext
  const container = (one: Fields): PodContainer => ({
    name: one.name,
    image: one.image,
    user: `${context.runAsUser}:${context.runAsGroup}`,
    variables: variablesOf(one, manifests),
    args: one.args ?? [],
    mounts: (one.volumeMounts ?? []).map((mount: Fields) => ({ volume: mount.name, path: mount.mountPath, readOnly: mount.readOnly === true })),
    isReadOnly: one.securityContext.readOnlyRootFilesystem === true,
    memory: String(one.resources.limits.memory).replace(/i$/, '').toLowerCase(),
    ...probeOf(one),
  })
  const services = ofKind(manifests, 'Service').filter(service => isSelected(service.spec.selector, metadata.labels))
  for (const service of services)
    for (const { port, targetPort } of service.spec.ports)
      if (portOf(pod.containers, targetPort) !== port) throw new Error(`${service.metadata.name}: its port ${port} leads to another one`)
  return {
    name,
    aliases: services.map(service => service.metadata.name),
    first: (pod.initContainers ?? []).map(container),
    containers: pod.containers.map(container),
    volumes: Object.fromEntries((pod.volumes ?? []).map((volume: Fields) => [volume.name, filesOf(volume, manifests)])),
  }
}

const isSelected = (selector: Record<string, string>, labels: Record<string, string>): boolean =>
  Object.entries(selector).every(([label, value]) => labels[label] === value)

/** A port by its number or its name. */
const portOf = (containers: Fields[], port: string | number): number =>
  typeof port === 'number' ? port : containers.flatMap(({ ports = [] }) => ports).find(({ name }) => name === port)?.containerPort

function probeOf(container: Fields): { probe?: Probe } {
  const { httpGet, tcpSocket } = container.readinessProbe ?? {}
  if (httpGet) return { probe: { port: portOf([container], httpGet.port), path: httpGet.path } }
  return tcpSocket ? { probe: { port: portOf([container], tcpSocket.port) } } : {}
}

function variablesOf({ env = [], envFrom = [] }: Fields, manifests: readonly Manifest[]): Record<string, string> {
  const shared = envFrom.map(({ configMapRef }: Fields) => dataOf('ConfigMap', configMapRef.name, manifests))
  const own = env.map(({ name, value, valueFrom }: Fields) => {
    if (valueFrom === undefined) return { [name]: value }
    const { name: secret, key } = valueFrom.secretKeyRef
    return { [name]: dataOf('Secret', secret, manifests)[key] ?? missing(`the key ${key} of the Secret ${secret}`) }
  })
  return Object.assign({}, ...shared, ...own)
}

function filesOf(volume: Fields, manifests: readonly Manifest[]): PodVolume {
  const { emptyDir, secret, configMap } = volume
  if (emptyDir) return {}
  const data = secret ? dataOf('Secret', secret.secretName, manifests) : dataOf('ConfigMap', configMap.name, manifests)
  const items: { key: string; path: string }[] = (secret ?? configMap).items ?? Object.keys(data).map(key => ({ key, path: key }))
  return Object.fromEntries(items.map(({ key, path }) => [path, data[key] ?? missing(`the key ${key} of ${volume.name}`)]))
}
/* biome-ignore-end lint/suspicious/noExplicitAny: see above */

function dataOf(kind: 'ConfigMap' | 'Secret', name: string, manifests: readonly Manifest[]): Record<string, string> {
  const { data = {} } = ofKind(manifests, kind).find(({ metadata }) => metadata.name === name) ?? missing(`${kind} ${name}`)
  const decode = (value: string) => (kind === 'Secret' ? Buffer.from(value, 'base64').toString() : value)
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decode(value)]))
}

function missing(what: string): never {
  throw new Error(`${what} is not declared`)
}
