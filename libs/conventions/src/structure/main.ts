import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { boilerplateFaults } from '../boilerplate.ts'
import { importsIn } from '../imports.ts'
import { structureFaults } from '../structure.ts'

// npm run check:structure
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts'], { encoding: 'utf8' })
  .split('\n')
  .filter(file => file !== '' && !file.endsWith('.d.ts') && existsSync(file))
const sources = files.map(file => [file, readFileSync(file, 'utf8')] as const)
const faults = [...structureFaults(sources.map(([file, source]) => ({ file, imports: importsIn(file, source) }))), ...boilerplateFaults(sources)]
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`)
  process.exitCode = 1
}
