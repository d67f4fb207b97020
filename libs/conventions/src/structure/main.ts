import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { boilerplateFaults } from '../boilerplate.ts'
import { importsIn } from '../imports.ts'
import { layerFaults } from '../layers.ts'
import { programFaults } from '../programs.ts'
import { structureFaults } from '../structure.ts'

// npm run check:structure
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter(file => file !== '' && existsSync(file))
const texts = (isWanted: (file: string) => boolean) => files.filter(isWanted).map(file => [file, readFileSync(file, 'utf8')] as const)
const sources = texts(file => file.endsWith('.ts') && !file.endsWith('.d.ts'))
const graph = sources.map(([file, source]) => ({ file, imports: importsIn(file, source) }))
const faults = [
  ...structureFaults(graph),
  ...layerFaults(
    texts(file => file.endsWith('/README.md')),
    graph,
  ),
  ...boilerplateFaults(sources),
  ...programFaults(
    texts(file => /(^|\/)package\.json$/.test(file)),
    new Set(files),
  ),
]
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`)
  process.exitCode = 1
}
