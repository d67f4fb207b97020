import { terminated } from '@carapace/service'
import { banner } from './banner.ts'
import { startLocal } from './start.ts'

try {
  const local = await startLocal(process.env)
  process.stdout.write(banner(local))
  await terminated()
  process.stdout.write('Stopping …\n')
  await local.close()
  process.exit(0)
} catch (error) {
  process.stderr.write(`Carapace did not start: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
