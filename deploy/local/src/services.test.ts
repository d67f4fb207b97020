import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { apis, type ServiceApi, serviceNames } from '@carapace/api'
import { servicePort } from '@carapace/service'
import { services } from './services.ts'

const all: readonly ServiceApi[] = Object.values(apis)
const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')
const references = (file: string): string[] => JSON.parse(read(file)).references.map(({ path }: { path: string }) => path.replace(/^(\.\.\/)+/, ''))
const running = services.map(({ api }) => api.name)

/** The list of "A service" in docs/extend.md. */
describe('a service', () => {
  it('is named once, and declared under that name', () => {
    assert.deepEqual(Object.keys(apis), [...serviceNames])
    assert.deepEqual(
      all.map(({ name }) => name),
      [...serviceNames],
    )
  })

  it('runs, or is planned', () => {
    const planned = all.filter(api => api.planned).map(({ name }) => name)

    assert.deepEqual([...running, 'gateway', ...planned].toSorted(), [...serviceNames].toSorted())
  })

  it('that runs is part of the build and of what deploy/local depends on', () => {
    const folders = running.map(name => `services/${name}`)
    const { dependencies } = JSON.parse(read('deploy/local/package.json'))

    for (const file of ['tsconfig.json', 'deploy/local/tsconfig.json'])
      assert.deepEqual(
        folders.filter(folder => !references(file).includes(folder)),
        [],
        file,
      )
    assert.deepEqual(
      running.filter(name => dependencies[`@carapace/${name}`] !== '*'),
      [],
    )
  })

  it('has a port of its own that no new service moves', () => {
    const ports = Object.fromEntries(serviceNames.map(name => [name, servicePort(name, 3101)]))

    assert.equal(new Set(Object.values(ports)).size, serviceNames.length)
    assert.deepEqual([ports.identity, ports.escrow, ports.notifications, ports['chain-relayer']], [3101, 3105, 3110, 3111])
  })

  it('is in the README: with what it owns if it runs, else as not served yet', () => {
    const [table, planned] = ['## The parts', '## Declared, not served yet'].map(title => read('README.md').split(title)[1]?.split('\n## ')[0] ?? '')
    const rows = (text = '') => [...text.matchAll(/^\| (?:\[([a-z-]+)\]|`([a-z-]+)`)/gm)].map(([, linked, plain]) => linked ?? plain!)

    assert.deepEqual(rows(table).toSorted(), running.toSorted())
    assert.deepEqual(rows(planned), plannedRows())
  })
})

/** Services that nothing serves, and services with single operations that wait. */
const plannedRows = (): string[] => [
  ...all.filter(api => api.planned).map(({ name }) => name),
  ...all.filter(api => !api.planned && Object.values(api.endpoints).some(({ planned }) => planned)).map(({ name }) => name),
]
