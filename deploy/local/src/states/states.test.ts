import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { stalledStates, unreachableStates } from '@carapace/store'
import { stateMachines } from './state-machines.ts'
import { statesDoc } from './states-doc.ts'

const all = stateMachines()
const machines = all.flatMap(({ service, machines: own }) => own.map(machine => ({ service, machine })))

describe('the state machines of all services', () => {
  for (const { service, machine } of machines) {
    it(`${service}: ${machine.name} reaches an end by time alone from every state`, () => {
      assert.deepEqual(stalledStates(machine), [])
    })

    it(`${service}: ${machine.name} has a path from a start to every state`, () => {
      assert.deepEqual(unreachableStates(machine), [])
    })

    it(`${service}: ${machine.name} knows every state that an edge, its start or its end names`, () => {
      const states = Object.keys(machine.transitions)
      const named = [...machine.starts(), ...machine.final, ...machine.edges().map(({ to }) => to)]
      assert.deepEqual(
        named.filter(state => !states.includes(state)),
        [],
      )
    })
  }

  it('are named once in their service', () => {
    const names = machines.map(({ service, machine }) => `${service}/${machine.name}`)
    assert.deepEqual(names, [...new Set(names)])
  })

  for (const { service, machines: own } of all) {
    it(`${service}: every table in its sources is among its states`, () => {
      const folder = fileURLToPath(new URL(`../../../../services/${service}/src`, import.meta.url))
      const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      const tables = sources.flatMap(file => [...readFileSync(path.join(folder, file), 'utf8').matchAll(/= stateMachine\b/g)])
      assert.equal(own.length, tables.length)
    })
  }

  it('include every record that waits for people, time or the chain', () => {
    const names = new Set(machines.flatMap(({ service, machine }) => [machine.name, `${service}/${machine.name}`]))
    const wanted = [
      'gig',
      'application',
      'offer',
      'migration',
      'validation',
      'job',
      'escrow',
      'bond lock',
      'payment',
      'reservation',
      'escrow/claim',
      'swarm/claim',
      'command',
      'transaction',
    ]
    assert.deepEqual(
      wanted.filter(name => !names.has(name)),
      [],
    )
  })

  it('are drawn in docs/states.md (npm run docs)', () => {
    assert.equal(readFileSync(new URL('../../../../docs/states.md', import.meta.url), 'utf8'), statesDoc(all))
  })
})
