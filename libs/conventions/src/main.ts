import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readGlossary } from './glossary.ts'
import { privateWordsIn } from './private-words.ts'
import { commentsIn, fileNameIn, proseIn, type Spoken, spokenIn } from './spoken.ts'

/** The words themselves, and the specification as it was given. */
const notOurs = ['docs/glossary.md', 'docs/spec.md']

// npm run check:words
const glossary = readGlossary(readFileSync('docs/glossary.md', 'utf8'))
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.js', '*.md', '*.sol', '*.css'], { encoding: 'utf8' })
  .split('\n')
  .filter(file => file !== '' && existsSync(file) && !notOurs.includes(file))
const findings = files.flatMap(file => {
  const text = readFileSync(file, 'utf8')
  return privateWordsIn(file, [fileNameIn(file), ...textsOf(file, text)], glossary)
})
const lines = findings.map(({ file, line, kind, text, word, say }) => `${file}:${line} ${kind} "${text}": "${word}" is private, say ${say}`)
if (lines.length > 0) {
  lines.push(`${lines.length} private words in ${new Set(findings.map(({ file }) => file)).size} files; the words are in docs/glossary.md`)
  process.stderr.write(`${lines.join('\n')}\n`)
  process.exitCode = 1
}

function textsOf(file: string, text: string): Spoken[] {
  if (file.endsWith('.md')) return proseIn(text)
  return /\.(sol|css)$/.test(file) ? commentsIn(text) : spokenIn(file, text)
}
