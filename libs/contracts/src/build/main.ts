import { differences, fullDifferences, write } from './manifest.ts'

// build: compile and write. check: compare hashes. check --full: compile and compare.
const [command, flag] = process.argv.slice(2)

if (command === 'build') {
  const { compile } = await import('./compile.ts')
  const compilation = compile()
  write(compilation)
  report(Object.entries(compilation.artifacts).map(([name, a]) => `${name} ${(a.deployedBytecode.length - 2) / 2} bytes`))
} else if (command === 'check') {
  const found = flag === '--full' ? await fullCheck() : differences()
  if (found.length > 0) {
    report(['The committed contract artifacts differ from their sources. Run: npm run contracts:build', ...found])
    process.exitCode = 1
  }
} else {
  report(['usage: main.js build | check [--full]'])
  process.exitCode = 2
}

async function fullCheck(): Promise<string[]> {
  const { compile } = await import('./compile.ts')
  return fullDifferences(compile())
}

function report(lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}
