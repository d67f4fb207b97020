import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { apis, queuesOf, type ServiceApi, type ServiceName } from '@carapace/api'
import { isLocal } from '@carapace/gateway'
import { addressesOf, configSchema, databaseName, fastExpress, healthRoutes, listen, makeMetrics, readConfig } from '@carapace/service'
import { callsOf } from './calls.ts'
import { type Manifest, ofKind, operated, overlays, renderOverlay, root } from './manifests.ts'
import { policyEdges } from './policies.ts'
import { schemaFaults } from './schema.ts'

const declared: readonly ServiceApi[] = Object.values(apis)
const processes: ServiceName[] = declared.flatMap(({ name, planned }) => (planned ? [] : [name]))
const names = await overlays()
let calls: Promise<string[][]> | undefined
const dockerfile = readFileSync(`${root}deploy/Dockerfile`, 'utf8')
const imageVariables = Object.fromEntries(
  [.../^ENV NODE_ENV=.*$/m.exec(dockerfile)![0].matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
)

interface Container {
  name: string
  image: string
  env?: { name: string; value: string }[]
  envFrom?: { configMapRef: { name: string } }[]
  ports?: { name?: string; containerPort: number }[]
  securityContext?: object
  volumeMounts?: { name: string; mountPath: string }[]
}
const containersOf = ({ spec }: Manifest): Container[] => [...(spec.template.spec.initContainers ?? []), ...spec.template.spec.containers]
const namesOf = (manifests: readonly Manifest[]): string[] => manifests.map(({ metadata }) => metadata.name).toSorted()

describe('the schema of Kubernetes', () => {
  const service = (spec: object): Manifest => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'x' }, spec })

  it('accepts a right object, and shows a misspelt field, a wrong type and a field that is missing', async () => {
    const faults = await schemaFaults([
      service({ ports: [{ port: 3000 }] }),
      service({ ports: [{ port: '3000' }] }),
      service({ ports: [{ port: 3000 }], selectors: {} }),
      service({ ports: [{ name: 'http' }] }),
    ])

    assert.equal(faults.length, 3, faults.join('\n'))
    assert.match(faults[1]!, /Service x: .*selectors/)
  })
})

for (const overlay of names)
  describe(`k8s/overlays/${overlay}`, () => {
    let manifests: Manifest[]
    let deployments: Manifest[]
    before(async () => {
      manifests = await renderOverlay(overlay)
      deployments = ofKind(manifests, 'Deployment')
    })
    const ofProcesses = () => deployments.filter(({ spec }) => spec.template.metadata.labels['app.kubernetes.io/component'] === 'process')

    it('has objects of known kinds with known fields only', async () => {
      assert.deepEqual(await schemaFaults(manifests), [])
    })

    it('has every process, each with what belongs to one', () => {
      const scaled = [...ofKind(manifests, 'HorizontalPodAutoscaler'), ...ofKind(manifests, 'ScaledObject')].map(
        ({ spec }) => spec.scaleTargetRef.name,
      )

      assert.deepEqual(namesOf(ofProcesses()), processes.toSorted())
      for (const kind of ['ServiceAccount', 'Service', 'PodDisruptionBudget', 'NetworkPolicy'])
        assert.deepEqual(
          processes.filter(name => !namesOf(ofKind(manifests, kind)).includes(name)),
          [],
          kind,
        )
      // the relayer's lanes have one leader each: more of it do not work faster
      assert.deepEqual(scaled.toSorted(), processes.filter(name => name !== 'chain-relayer').toSorted())
    })

    it('sets variables that the configuration declares, to values that it accepts', () => {
      const declared = new Set(Object.keys(configSchema.shape).flatMap(name => [name, `${name}_FILE`]))
      for (const deployment of ofProcesses())
        for (const container of containersOf(deployment)) {
          const variables = variablesOf(container, manifests)
          const where = `${deployment.metadata.name}/${container.name}`
          assert.deepEqual(
            Object.keys(variables).filter(name => !declared.has(name)),
            [],
            where,
          )
          const values = Object.fromEntries(Object.entries(variables).filter(([name]) => Object.hasOwn(configSchema.shape, name)))
          assert.doesNotThrow(() => readConfig(values), where)
        }
    })

    it('gives every process what it cannot do without', () => {
      for (const deployment of ofProcesses()) {
        const variables = variablesOf(containersOf(deployment).at(-1)!, manifests)
        for (const name of ['MONGODB_URI', 'AMQP_URL', 'INTERNAL_KEY'])
          assert.ok(variables[name] ?? variables[`${name}_FILE`], `${deployment.metadata.name} ${name}`)
      }
    })

    it('names files that are mounted', () => {
      for (const { metadata, spec } of ofProcesses())
        for (const { env = [], volumeMounts = [] } of containersOf({ spec } as Manifest))
          for (const { name, value } of env) {
            if (!value.startsWith('/')) continue
            const mount = volumeMounts.find(({ mountPath }) => value.startsWith(`${mountPath}/`))
            const volume = spec.template.spec.volumes.find((one: { name: string }) => one.name === mount?.name)
            const items: { path: string }[] | undefined = volume?.secret?.items
            assert.ok(volume && (!items || items.some(item => value === `${mount!.mountPath}/${item.path}`)), `${metadata.name} ${name}=${value}`)
          }
    })

    it('mounts the keys of the Secret that the manual makes, and needs no other', () => {
      if (ofKind(manifests, 'Secret').some(({ metadata }) => metadata.name.startsWith('carapace'))) return
      const command = /create secret generic carapace [\s\S]*?(?<!\\)\n/.exec(readFileSync(`${root}docs/operate.md`, 'utf8'))![0]
      const made = [...command.matchAll(/--from-(?:file=deploy\/secrets\/|literal=)([\w.-]+)/g)].map(([, key]) => key!)
      type Source = { secret?: { secretName?: string; name?: string; items?: { key: string }[] } }
      const sources = ofProcesses().flatMap(({ spec }) =>
        spec.template.spec.volumes.flatMap(({ secret, projected }: Source & { projected?: { sources: Source[] } }) =>
          projected ? projected.sources.map(one => one.secret) : [secret],
        ),
      )
      const read = sources
        .filter(secret => (secret?.secretName ?? secret?.name) === 'carapace')
        .flatMap(secret => secret.items.map(({ key }: { key: string }) => key))

      assert.deepEqual([...new Set(read)].toSorted(), made.toSorted())
    })

    it('refers only to what it has', () => {
      const has = (kind: string) => new Set(namesOf(ofKind(manifests, kind)))
      const [maps, accounts, targets] = [has('ConfigMap'), has('ServiceAccount'), has('Deployment')]
      for (const { spec } of ofProcesses()) {
        assert.ok(accounts.has(spec.template.spec.serviceAccountName))
        for (const { envFrom = [] } of containersOf({ spec } as Manifest))
          for (const { configMapRef } of envFrom) assert.ok(maps.has(configMapRef.name))
      }
      for (const { spec } of [...ofKind(manifests, 'HorizontalPodAutoscaler'), ...ofKind(manifests, 'ScaledObject')])
        assert.ok(targets.has(spec.scaleTargetRef.name))
      const groups = new Set([...targets, ...namesOf(operated(manifests))])
      for (const { metadata, spec } of [...ofKind(manifests, 'Service'), ...ofKind(manifests, 'PodDisruptionBudget')]) {
        const selected = Object.values(spec.selector.matchLabels ?? spec.selector)
        assert.deepEqual(selected, [metadata.name])
        assert.ok(groups.has(metadata.name), metadata.name)
      }
    })

    it('is reached by its host names: an Ingress, or routes of listeners that are there, to the port of the gateway', () => {
      const base = ofKind(manifests, 'ConfigMap').find(({ data }) => data?.PUBLIC_BASE_URL)!.data!.PUBLIC_BASE_URL!
      const { host, hostname } = new URL(base)
      const ports = ofKind(manifests, 'Service').find(({ metadata }) => metadata.name === 'gateway')!.spec.ports
      const listeners = ofKind(manifests, 'Gateway').flatMap(({ metadata, spec }) =>
        spec.listeners.map((one: { name: string; hostname: string }) => ({ place: `${metadata.name}/${one.name}`, host: one.hostname })),
      )
      const routes = ofKind(manifests, 'HTTPRoute')
      const hosts = [
        ...ofKind(manifests, 'Ingress').flatMap(({ spec }) => spec.rules.map((rule: { host: string }) => rule.host)),
        ...listeners.map(one => one.host),
        ...routes.flatMap(({ spec }) => spec.hostnames),
      ]

      assert.ok(hosts.length > 0 || hostname === 'localhost')
      assert.deepEqual([...new Set(hosts)], hosts.length > 0 ? [host] : [])
      for (const { spec } of routes) {
        for (const { name, sectionName } of spec.parentRefs) assert.ok(listeners.some(({ place }) => place === `${name}/${sectionName}`))
        for (const { backendRefs = [] } of spec.rules)
          for (const backend of backendRefs) assert.deepEqual(backend, { name: 'gateway', port: ports[0].port })
      }
    })

    it('gives each process a database user of its own, for its own database', () => {
      for (const { metadata, spec } of ofKind(manifests, 'MongoDBCommunity')) {
        const users: { name: string; db: string; roles: object[] }[] = spec.users
        const wanted = processes.toSorted().map(name => ({ name, roles: [{ name: 'readWrite', db: databaseName(name, '') }] }))
        assert.deepEqual(
          users.map(({ name, roles }) => ({ name, roles })).toSorted((a, b) => a.name.localeCompare(b.name)),
          wanted,
        )
        for (const { name, db } of users) {
          const { volumes } = deployments.find(one => one.metadata.name === name)!.spec.template.spec
          assert.ok(
            volumes.some(({ secret }: { secret?: { secretName: string } }) => secret?.secretName === `${metadata.name}-${db}-${name}`),
            name,
          )
        }
      }
    })

    it('probes paths that are served, on the port that is listened on', async () => {
      const paths = new Set<string>()
      for (const { metadata, spec } of ofProcesses()) {
        const [container] = spec.template.spec.containers
        assert.deepEqual(container.ports, [{ name: 'http', containerPort: Number(imageVariables.PORT) }], metadata.name)
        for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
          const { path, port } = container[probe].httpGet
          assert.equal(port, 'http')
          paths.add(path)
        }
      }
      for (const { spec } of ofKind(manifests, 'PodMonitor')) for (const endpoint of spec.podMetricsEndpoints) paths.add(endpoint.path)

      assert.deepEqual(
        [...paths].filter(path => !isLocal(path, { assets: new Map() })),
        [],
      )
      assert.deepEqual(await notServed([...paths]), [])
    })

    it('lets processes find each other', () => {
      const address = addressesOf(readConfig({ SERVICE_URL: imageVariables.SERVICE_URL }))
      for (const { metadata, spec } of ofKind(manifests, 'Service').filter(one => processes.includes(one.metadata.name as ServiceName)))
        assert.equal(address(metadata.name as ServiceName), `http://${metadata.name}:${spec.ports[0].port}`)
    })

    it('allows the calls that the programs make, and no others', async () => {
      const { ingress, egress } = policyEdges(manifests)
      calls ??= Promise.all(processes.map(async name => [...(await callsOf(name))].map(called => `${name} → ${called}:${imageVariables.PORT}`)))
      const made = (await calls).flat().toSorted()
      const between = (edges: Set<string>) =>
        [...edges].filter(edge => edge.split(/ → |:/, 2).every(name => processes.includes(name as ServiceName))).toSorted()

      assert.deepEqual(between(egress), made)
      assert.deepEqual(between(ingress), made)
    })

    it('lets only the relayer reach networks, notifications and the gateway the receivers of what they push, and every process its stores', () => {
      const { egress } = policyEdges(manifests)
      const others = [...egress].filter(edge => !processes.includes(edge.split(/ → |:/, 2)[1] as ServiceName))
      const outward = others.filter(edge => / → (outside|anvil)/.test(edge))

      assert.ok(outward.length > 0)
      assert.deepEqual(outward.filter(edge => !edge.startsWith('chain-relayer → ')).toSorted(), [
        'gateway → outside:443',
        'notifications → outside:443',
      ])
      const stores = namesOf([...deployments, ...operated(manifests)])
      for (const to of ['mongodb:27017', 'rabbitmq:5672'].filter(store => stores.includes(store.split(':')[0]!)))
        assert.deepEqual(
          processes.filter(name => !egress.has(`${name} → ${to}`)),
          [],
        )
    })

    it('denies what no policy names', () => {
      const denied = ofKind(manifests, 'NetworkPolicy').filter(({ spec }) => Object.keys(spec.podSelector).length === 0)

      assert.deepEqual(
        denied.map(({ spec }) => spec),
        [{ podSelector: {}, policyTypes: ['Ingress', 'Egress'] }],
      )
    })

    it('scales by queues that the bus declares', () => {
      const queues = new Set(queuesOf(declared).map(({ name }) => name))
      const triggers = ofKind(manifests, 'ScaledObject')
        .flatMap(({ spec }) => spec.triggers)
        .filter(({ type }) => type === 'rabbitmq')

      assert.deepEqual(
        triggers.map(({ metadata }) => metadata.queueName).filter(name => !queues.has(name)),
        [],
      )
    })

    it('has pods that the restricted profile admits', () => {
      const allowed = new Set(['configMap', 'secret', 'emptyDir', 'persistentVolumeClaim', 'projected', 'downwardAPI'])
      for (const deployment of deployments) {
        const { metadata, spec } = deployment
        const pod = spec.template.spec
        assert.deepEqual([pod.securityContext.runAsNonRoot, pod.securityContext.seccompProfile?.type], [true, 'RuntimeDefault'], metadata.name)
        assert.ok(pod.securityContext.runAsUser > 0)
        assert.equal(pod.automountServiceAccountToken, false, metadata.name)
        assert.ok(!pod.hostNetwork && !pod.hostPID && !pod.hostIPC)
        for (const volume of pod.volumes ?? [])
          for (const type of Object.keys(volume).filter(key => key !== 'name')) assert.ok(allowed.has(type), type)
        for (const { name, securityContext } of containersOf(deployment)) {
          const { readOnlyRootFilesystem: _, ...context } = securityContext as Record<string, unknown>
          assert.deepEqual(context, { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }, `${metadata.name}/${name}`)
        }
      }
      for (const { metadata, spec } of operated(manifests)) {
        const pod = (spec.statefulSet ?? spec.override.statefulSet).spec.template.spec
        assert.deepEqual([pod.securityContext.runAsNonRoot, pod.securityContext.seccompProfile?.type], [true, 'RuntimeDefault'], metadata.name)
        for (const { name, securityContext } of [...(pod.initContainers ?? []), ...pod.containers]) {
          const { readOnlyRootFilesystem: _, ...context } = securityContext
          assert.deepEqual(context, { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }, `${metadata.name}/${name}`)
        }
      }
      const [namespace] = ofKind(manifests, 'Namespace')
      assert.equal(namespace!.metadata.labels!['pod-security.kubernetes.io/enforce'], 'restricted')
    })

    it('runs processes without a writable root', () => {
      for (const deployment of ofProcesses())
        for (const { securityContext } of containersOf(deployment))
          assert.equal((securityContext as { readOnlyRootFilesystem?: boolean }).readOnlyRootFilesystem, true)
    })
  })

/** Variables of a container: those of its ConfigMaps, then its own. */
const variablesOf = ({ env = [], envFrom = [] }: Container, manifests: readonly Manifest[]): Record<string, string> =>
  Object.assign(
    {},
    ...envFrom.map(({ configMapRef }) => ofKind(manifests, 'ConfigMap').find(({ metadata }) => metadata.name === configMapRef.name)?.data),
    ...env.map(({ name, value }) => ({ [name]: value })),
  )

/** Paths that a service does not answer by itself. */
async function notServed(paths: readonly string[]): Promise<string[]> {
  const { app, server } = fastExpress()
  healthRoutes(app, { metrics: makeMetrics('identity'), readiness: { needed: {}, useful: {}, isDraining: () => false } })
  const url = await listen(server, 0, '127.0.0.1')
  try {
    const answers = await Promise.all(paths.map(async path => ({ path, status: (await fetch(`${url}${path}`)).status })))
    return answers.filter(({ status }) => status !== 200).map(({ path }) => path)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
