import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readGlossary } from './glossary.ts'
import { privateWordsIn } from './private-words.ts'
import { spokenIn } from './spoken.ts'

// npm run check:words
const glossary = readGlossary(readFileSync('docs/glossary.md', 'utf8'))
const files = execFileSync('git', ['ls-files', '*.ts'], { encoding: 'utf8' }).split('\n').filter(Boolean)
const findings = files.flatMap(file => privateWordsIn(file, spokenIn(file, readFileSync(file, 'utf8')), glossary))
const lines = findings.map(({ file, line, kind, text, word, say }) => `${file}:${line} ${kind} "${text}": "${word}" is private, say ${say}`)
if (lines.length > 0) {
  lines.push(`${lines.length} private words in ${new Set(findings.map(({ file }) => file)).size} files; the words are in docs/glossary.md`)
  process.stderr.write(`${lines.join('\n')}\n`)
  process.exitCode = 1
}
