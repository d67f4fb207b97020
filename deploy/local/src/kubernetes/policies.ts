import type { Manifest } from './manifests.ts'
import { ofKind, operated } from './manifests.ts'

/** `from → to:port`, where both are pods by name, `outside`, or a namespace. */
type Edges = Set<string>

export interface PolicyEdges {
  /** As the side that sends allows it. */
  egress: Edges
  /** As the side that receives allows it. */
  ingress: Edges
}

interface Pod {
  name: string
  labels: Record<string, string>
  ports: Map<string, number>
}

interface Selector {
  matchLabels?: Record<string, string>
}

interface Peer {
  podSelector?: Selector
  namespaceSelector?: Selector
  ipBlock?: object
}

/** Which connections the NetworkPolicies of a namespace allow between its pods and to what is outside. */
export function policyEdges(manifests: readonly Manifest[]): PolicyEdges {
  const pods = [...ofKind(manifests, 'Deployment').map(podOf), ...operated(manifests).map(clusterOf)]
  const edges: PolicyEdges = { egress: new Set(), ingress: new Set() }
  for (const { spec } of ofKind(manifests, 'NetworkPolicy'))
    for (const pod of pods.filter(one => isSelected(one, spec.podSelector))) {
      for (const { to, ports } of spec.egress ?? [])
        for (const peer of peersOf(to, pods))
          for (const port of portsOf(ports, peer.pod ?? pod)) edges.egress.add(`${pod.name} → ${peer.name}:${port}`)
      for (const { from, ports } of spec.ingress ?? [])
        for (const peer of peersOf(from, pods)) for (const port of portsOf(ports, pod)) edges.ingress.add(`${peer.name} → ${pod.name}:${port}`)
    }
  return edges
}

function podOf({ metadata, spec }: Manifest): Pod {
  const ports = spec.template.spec.containers.flatMap(({ ports = [] }: { ports?: { name?: string; containerPort: number }[] }) => ports)
  return {
    name: metadata.name,
    labels: spec.template.metadata.labels,
    ports: new Map(ports.map((port: { name?: string; containerPort: number }) => [port.name ?? String(port.containerPort), port.containerPort])),
  }
}

/** The pods that an operator makes have the name of their cluster; their ports are not in its manifest. */
const clusterOf = ({ metadata: { name } }: Manifest): Pod => ({ name, labels: { 'app.kubernetes.io/name': name }, ports: new Map() })

const isSelected = ({ labels }: Pod, { matchLabels = {} }: Selector): boolean =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value)

function peersOf(peers: readonly Peer[] | undefined, pods: readonly Pod[]): { name: string; pod?: Pod }[] {
  if (peers === undefined) return [{ name: 'anything' }]
  return peers.flatMap(({ podSelector, namespaceSelector, ipBlock }) => {
    if (ipBlock) return [{ name: 'outside' }]
    if (namespaceSelector) return [{ name: `namespace ${Object.values(namespaceSelector.matchLabels ?? {}).join()}` }]
    return pods.filter(pod => isSelected(pod, podSelector ?? {})).map(pod => ({ name: pod.name, pod }))
  })
}

const portsOf = (ports: readonly { port: number | string }[] | undefined, pod: Pod): (number | string)[] =>
  (ports ?? [{ port: 'any' }]).map(({ port }) => (typeof port === 'string' ? (pod.ports.get(port) ?? port) : port))
