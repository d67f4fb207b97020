import { readConfig } from '@carapace/service'
import { deployToDevnets } from './deploy-to-devnets.ts'

try {
  for (const line of await deployToDevnets(readConfig())) process.stdout.write(`${line}\n`)
} catch (error) {
  process.stderr.write(`the contracts are not deployed: ${(error as Error).message}\n`)
  process.exitCode = 1
}
