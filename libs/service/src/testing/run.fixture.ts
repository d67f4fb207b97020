import { run } from '../run.ts'
import { newHarness, things } from './things.fixture.ts'

/** The test service as a process of its own. It reports effects in its output; its slow handlers wait for a signal. */
const harness = newHarness()
harness.onEffect = effect => void process.stdout.write(`${JSON.stringify({ msg: 'effect', ...effect })}\n`)
process.on('SIGUSR2', harness.openGate)
run(things(harness))
