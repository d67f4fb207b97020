import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { apis, chains, type ServiceApi } from '@carapace/api'
import { networks } from '@carapace/chain'
import { configSchema, readConfig } from '@carapace/service'
import { parse } from 'yaml'
import { makeSecrets } from '../secrets/make-secrets.ts'

interface Service {
  image: string
  build?: { args?: { SERVICE: string }; target?: string }
  command?: string[]
  environment?: Record<string, string>
  secrets?: (string | { source: string })[]
  volumes?: string[]
  depends_on?: Record<string, object>
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  deploy?: { resources?: { limits?: object } }
  ports?: string[]
  profiles?: string[]
  configs?: { source: string; target: string }[]
}
interface Compose {
  configs: Record<string, { file: string }>
  services: Record<string, Service>
  secrets: Record<string, { file: string }>
  volumes: Record<string, unknown>
}

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const compose = readFileSync(`${root}deploy/compose.yaml`, 'utf8')
/** `${NAME:-default}` as it is when nobody sets NAME. */
const withDefaults = compose.replace(/\$\{\w+:-([^}]*)\}/g, '$1')
const { services, secrets, volumes, configs } = parse(withDefaults, { merge: true }) as Compose
const dockerfile = readFileSync(`${root}deploy/Dockerfile`, 'utf8')
const declared: readonly ServiceApi[] = Object.values(apis)
const processes = declared.flatMap(({ name, planned }) => (planned ? [] : [name]))
const all = Object.entries(services)
const ours = all.filter(([, { build }]) => build)
const secretsOf = ({ secrets: used = [] }: Service) => used.map(one => (typeof one === 'string' ? one : one.source))

describe('deploy/compose.yaml', () => {
  it('has every process', () => {
    assert.deepEqual(
      processes.filter(name => services[name]?.build?.args?.SERVICE !== (name === 'gateway' ? name : `services/${name}`)),
      [],
    )
  })

  it('builds what is there', () => {
    const targets = new Set([...dockerfile.matchAll(/^FROM .* AS (\S+)$/gm)].map(([, name]) => name))
    for (const [name, { build }] of ours)
      if (build!.target) assert.ok(targets.has(build!.target), name)
      else assert.ok(existsSync(`${root}${build!.args!.SERVICE}/src/main.ts`), name)
  })

  it('sets variables that the configuration declares, to values that it accepts', () => {
    for (const [service, { environment = {} }] of ours) {
      const values = Object.fromEntries(Object.entries(environment).filter(([name]) => Object.hasOwn(configSchema.shape, name)))
      const files = Object.keys(environment).filter(name => !Object.hasOwn(configSchema.shape, name))
      assert.deepEqual(
        files.filter(name => !name.endsWith('_FILE') || !Object.hasOwn(configSchema.shape, name.slice(0, -'_FILE'.length))),
        [],
        service,
      )
      assert.doesNotThrow(() => readConfig(values), service)
    }
  })

  it('gives every process what it cannot do without', () => {
    for (const name of processes) {
      const { environment = {} } = services[name]!
      for (const needed of ['MONGODB_URI', 'AMQP_URL_FILE', 'INTERNAL_KEY_FILE', 'AUTH_MODE']) assert.ok(environment[needed], `${name} ${needed}`)
      assert.equal(environment.AUTH_MODE, 'signed')
    }
  })

  it('mounts the secrets that its variables name, and those that deploy:secrets makes', async () => {
    for (const [service, given] of all) {
      const named = Object.values(given.environment ?? {}).flatMap(value => /^\/run\/secrets\/(.+)$/.exec(value)?.[1] ?? [])
      if (given.build) assert.deepEqual([...new Set(named)].toSorted(), secretsOf(given).toSorted(), service)
      for (const name of secretsOf(given)) assert.equal(secrets[name]?.file, `./secrets/${name}`)
    }
    const folder = await mkdtemp(path.join(tmpdir(), 'carapace-secrets-'))
    try {
      await makeSecrets(folder)
      const made = new Set(await readdir(folder))
      assert.deepEqual(
        Object.keys(secrets).filter(name => !made.has(name)),
        [],
      )
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('leaves our containers no right that they do not need, and bounds all', () => {
    for (const [name, service] of ours) {
      assert.deepEqual([service.read_only, service.cap_drop, service.security_opt], [true, ['ALL'], ['no-new-privileges:true']], name)
    }
    for (const [name, service] of all) assert.ok(service.deploy?.resources?.limits, name)
  })

  it('shows nothing beyond this machine', () => {
    const published = all.flatMap(([, { ports = [] }]) => ports)

    assert.deepEqual(published, ['127.0.0.1:3000:3000', '127.0.0.1:8545:8545', '127.0.0.1:8546:8545', '127.0.0.1:3001:3000'])
  })

  it('names to clients what it publishes', () => {
    const ports = new Set(ours.flatMap(([, { ports = [] }]) => ports.map(one => one.split(':')[1])))
    const named = ours.flatMap(([, { environment = {} }]) =>
      ['PUBLIC_BASE_URL', ...chains.map(chain => `${chain}_PUBLIC_RPC_URL`)].flatMap(name => environment[name] ?? []),
    )

    assert.deepEqual(new Set(named.map(url => new URL(url).port)), ports)
  })

  it('names services and volumes that it has', () => {
    for (const [name, service] of all) {
      for (const other of Object.keys(service.depends_on ?? {})) assert.ok(services[other], `${name} ${other}`)
      for (const volume of service.volumes ?? []) assert.ok(volume.startsWith('/') || Object.hasOwn(volumes, volume.split(':')[0]!), volume)
    }
  })

  it('starts each devnet with the chain id of its network', () => {
    const devnets = all.filter(([, { build }]) => build?.target === 'devnet').map(([, { command }]) => command!.join(' ').replaceAll('=', ' '))

    for (const chain of chains) assert.equal(devnets.filter(command => command.startsWith(`--chain-id ${networks[chain].chainId}`)).length, 1, chain)
  })
})

describe('the profile observability', () => {
  const fileAt = (service: string, target: string) => {
    const source = services[service]?.configs?.find(one => one.target === target)?.source
    return readFileSync(`${root}deploy/${configs[source!]!.file}`, 'utf8')
  }
  const hostOf = (url: string) => new URL(url).hostname

  it('is of parts that start with it only, from files that are there', () => {
    const parts = all.filter(([, { configs: used }]) => used)

    assert.deepEqual(
      parts.filter(([, { profiles }]) => profiles?.join() !== 'observability').map(([name]) => name),
      [],
    )
    const used = parts.flatMap(([, part]) => part.configs!.map(({ source }) => source))
    assert.deepEqual([...new Set(used)].toSorted(), Object.keys(configs).toSorted())
    for (const { file } of Object.values(configs)) assert.ok(existsSync(`${root}deploy/${file}`), file)
  })

  it('reads the metrics of every process, with the rules for alerts', () => {
    const { scrape_configs: jobs, rule_files: rules } = parse(fileAt('prometheus', '/etc/prometheus/prometheus.yml'))
    const targets: string[] = jobs.flatMap((job: { static_configs: { targets: string[] }[] }) => job.static_configs.flatMap(one => one.targets))

    assert.deepEqual(targets.toSorted(), processes.map(name => `${name}:3000`).toSorted())
    for (const rule of rules) assert.ok(fileAt('prometheus', rule).includes('alert:'))
    assert.ok(secretsOf(services.prometheus!).includes('metrics-token'))
  })

  it('sends traces and lines to where they are read', () => {
    const { exporters, service } = parse(fileAt('otel-collector', '/etc/otelcol-contrib/config.yaml'))
    const { datasources } = parse(fileAt('grafana', '/etc/grafana/provisioning/datasources/carapace.yaml'))
    const sources = new Map<string, string>(datasources.map(({ uid, url }: { uid: string; url: string }) => [uid, hostOf(url)]))

    const used = Object.values<{ exporters: string[] }>(service.pipelines).flatMap(one => one.exporters)
    assert.deepEqual(used.toSorted(), Object.keys(exporters).toSorted())
    for (const { endpoint } of Object.values<{ endpoint: string }>(exporters)) assert.ok([...sources.values()].includes(hostOf(endpoint)), endpoint)
    for (const host of sources.values()) assert.ok(services[host], host)
    for (const board of ['system', 'money', 'chain'])
      for (const { datasource } of JSON.parse(fileAt('grafana', `/var/lib/grafana/dashboards/${board}.json`)).panels)
        assert.ok(sources.has(datasource.uid), board)
  })
})

describe('deploy/Dockerfile', () => {
  const images = dockerfile.split(/^FROM /m).filter(stage => /^\S+ AS (process|embedded-mongo|devnet)\n/.test(stage))

  it('has images that run as a user by number, in exec form, with a health check', () => {
    assert.equal(images.length, 3)
    for (const image of images) {
      assert.match(image, /^USER 1000:1000$/m)
      assert.match(image, /^(CMD|ENTRYPOINT) \["/m)
      assert.match(image, /^HEALTHCHECK [^\n]*\\\n {2}CMD \["/m)
      assert.doesNotMatch(image, /^RUN /m)
    }
  })

  it('installs what the lock file says', () => {
    assert.match(dockerfile, /npm ci /)
    assert.doesNotMatch(dockerfile, /npm (i|install) /)
  })
})
