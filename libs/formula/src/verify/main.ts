import { readFileSync } from 'node:fs'
import { differencesIn, type ScoreExport } from './verify.ts'

/** carapace-verify-score FILE: computes an exported score again. Ends with 1, and what differs, where it does not follow from its facts. */
function main(path: string | undefined): number {
  if (path === undefined) {
    process.stderr.write('Usage: carapace-verify-score FILE\nFILE is an answer of GET /api/audit/agents/:id/export\n')
    return 2
  }
  try {
    const file = JSON.parse(readFileSync(path, 'utf8')) as ScoreExport
    const found = differencesIn(file)
    for (const difference of found) process.stderr.write(`${difference}\n`)
    if (found.length > 0) return 1
    process.stdout.write(`${file.score.fusedScore} by formula ${file.formulaVersion} follows from ${file.inputs.count} facts (${file.inputs.hash})\n`)
    return 0
  } catch (error) {
    process.stderr.write(`${path}: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

process.exitCode = main(process.argv[2])
