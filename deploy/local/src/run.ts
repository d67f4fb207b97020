import { endWithSupervisor, terminated } from '@carapace/service'
import { processVariables } from './config.ts'
import type { Variables } from './environment.ts'

/** Starts, prints what runs, and ends all of it at SIGTERM or Ctrl-C. */
export async function runUntilTerminated<T extends { close(): Promise<void> }>(
  start: (variables: Variables) => Promise<T>,
  describe: (started: T) => string,
): Promise<void> {
  endWithSupervisor()
  try {
    const started = await start(processVariables)
    process.stdout.write(describe(started))
    await terminated()
    process.stdout.write('Stopping …\n')
    await started.close()
    process.exit(0)
  } catch (error) {
    process.stderr.write(`Carapace did not start: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
}
