import assert from 'node:assert/strict'
import { Refusal } from '@carapace/api'
import { type StateMachineTable, stalledStates, stateMachine, unreachableStates } from './state-machine.ts'

type State = 'open' | 'assigned' | 'done' | 'cancelled'
type Trigger = 'assign' | 'finish' | 'expire'

const machine = stateMachine<State, Trigger, { delivered: boolean }>({
  name: 'task',
  initial: 'open',
  final: ['done', 'cancelled'],
  transitions: {
    open: { assign: 'assigned', expire: { to: 'cancelled', byTime: '30 d after its creation' } },
    assigned: { finish: { to: 'done', guard: { when: 'something was delivered', holds: ({ delivered }) => delivered } } },
    done: {},
    cancelled: {},
  },
})

const refusalOf = (act: () => unknown): Refusal => {
  try {
    act()
  } catch (error) {
    if (error instanceof Refusal) return error
  }
  assert.fail('nothing was refused')
}

describe('stateMachine', () => {
  it('moves along the edges of its table', () => {
    assert.equal(machine.move('open', 'assign'), 'assigned')
    assert.equal(machine.move('assigned', 'finish', { delivered: true }), 'done')
  })

  it('refuses a move that is not in the table with INVALID_STATE and the states that allow it', () => {
    const { code, extras } = refusalOf(() => machine.move('done', 'assign'))

    assert.equal(code, 'INVALID_STATE')
    assert.deepEqual(extras.details, { state: 'done', allowed: ['open'] })
  })

  it('refuses a move whose guard does not hold, and says what it needs', () => {
    assert.match(refusalOf(() => machine.move('assigned', 'finish', { delivered: false })).message, /something was delivered/)
    assert.equal(machine.next('assigned', 'finish'), undefined)
  })

  it('knows no triggers by the names of Object', () => {
    assert.equal(machine.next('open', 'constructor' as Trigger), undefined)
  })

  it('names the states that time alone never ends', () => {
    assert.deepEqual(stalledStates(machine), ['assigned'])
  })

  it('names none of a record that nothing waits for', () => {
    const resting = stateMachine({ ...machine, rests: 'nobody waits' })

    assert.deepEqual(stalledStates(resting), [])
  })

  it('names the states to which no path leads from a start', () => {
    const imported = { ...machine.transitions, imported: { assign: 'assigned' as const }, lost: {} }
    const table = { ...machine, transitions: imported } as unknown as StateMachineTable<State | 'imported' | 'lost', Trigger, { delivered: boolean }>

    assert.deepEqual(unreachableStates(machine), [])
    assert.deepEqual(unreachableStates(stateMachine(table)), ['imported', 'lost'])
    assert.deepEqual(unreachableStates(stateMachine({ ...table, startsIn: { imported: 'from elsewhere' } })), ['lost'])
  })
})
