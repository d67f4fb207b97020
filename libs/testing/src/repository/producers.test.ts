import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import * as declared from '@carapace/api'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** Facts that no service needs, for readers of the bus outside (AsyncAPI), and snapshots of services whose rows nobody copies. */
const forOutside = [
  'commerce.snapshot.published',
  'domains.snapshot.published',
  'swarm.snapshot.published',
  'treasury.reservation.captured',
  'treasury.reservation.made',
  'treasury.reservation.voided',
  'treasury.x402.returned',
]

describe('every event that a running service declares', () => {
  it('is consumed by a service, or is on the list of those for readers outside', () => {
    const apis: readonly declared.ServiceApi[] = Object.values(declared.apis)
    const consumed = new Set(apis.flatMap(api => declared.consumedBy(api)).map(({ type }) => type))

    const unread = apis
      .flatMap(({ events }): declared.AnyEvent[] => Object.values(events))
      .filter(event => !consumed.has(event.type) && !isOfTable(event))
      .map(({ name }) => name)

    assert.deepEqual(unread.toSorted(), forOutside)
  })

  it('is published by it', () => {
    const apis: readonly declared.ServiceApi[] = Object.values(declared.apis)

    const silent = apis
      .filter(api => !api.planned)
      .flatMap(api => {
        const text = sourceOf(api.name === 'gateway' ? 'gateway' : `services/${api.name}`)
        const own = Object.values(api.events).filter(event => !isOfTable(event))
        return own.filter(event => !isPublishedIn(text, exportNameOf(event))).map(event => event.name)
      })

    assert.deepEqual(silent, [])
  })
})

/** The relayer publishes what it finds in the logs by its table of contracts, and outcomes by the table of commands: their own tests hold them. */
const isOfTable = ({ name }: declared.AnyEvent): boolean => name.startsWith('chain.event.') || name.startsWith('chain.command.')

/** `gigPosted.of(…)`, or handed to a function that makes the draft; to consume it with `on(gigPosted, …)` is not to publish it. */
const isPublishedIn = (text: string, name: string): boolean => new RegExp(`\\b${name}\\.of(?:Plain)?\\(|(?<!\\bon)[(,=] ?${name}[,)]`).test(text)

function exportNameOf(event: declared.AnyEvent): string {
  const [name] = Object.entries(declared).find(([, value]) => (value as unknown) === event) ?? []
  return name ?? assert.fail(`${event.name} is not exported`)
}

/** What a service runs, without its imports. */
function sourceOf(folder: string): string {
  return readdirSync(path.join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !/\.test\.ts$|(^|\/)testing\//.test(file))
    .map(file => readFileSync(path.join(root, folder, 'src', file), 'utf8').replace(/^import [\s\S]*?from '.*'$/gm, ''))
    .join('\n')
}
