import { endWithSupervisor, terminated } from '@carapace/service'
import { environment } from './config.ts'
import type { Environment } from './ground.ts'

/** Starts, says what runs, and ends all of it at SIGTERM or Ctrl-C. */
export async function runUntilTerminated<T extends { close(): Promise<void> }>(
  start: (environment: Environment) => Promise<T>,
  tell: (started: T) => string,
): Promise<void> {
  endWithSupervisor()
  try {
    const started = await start(environment)
    process.stdout.write(tell(started))
    await terminated()
    process.stdout.write('Stopping …\n')
    await started.close()
    process.exit(0)
  } catch (error) {
    process.stderr.write(`Carapace did not start: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
}
