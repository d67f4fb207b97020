import { readConfig } from './config.ts'
import { deployReal } from './real.ts'

try {
  process.stdout.write(`${JSON.stringify(await deployReal(readConfig()), null, 2)}\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
