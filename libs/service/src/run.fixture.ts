import { run } from './run.ts'
import { newWorld, things } from './things.fixture.ts'

/** The test service as a process of its own. It tells of effects in its output; its slow handlers wait for a signal. */
const world = newWorld()
world.tell = effect => void process.stdout.write(`${JSON.stringify({ msg: 'effect', ...effect })}\n`)
process.on('SIGUSR2', world.openGate)
run(things(world))
